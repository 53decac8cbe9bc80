import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { formatWhen } from '../../ui/text/format.js';
import { Fold } from '../../ui/layout/fold.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { resolveColor } from '../../ui/style/resolve-color.js';
import { stackColumns } from './chart-data.js';
import { useColorScheme } from './use-color-scheme.js';

const HEIGHT = 180;

/** Calls over time, stacked by how they ended. The same numbers are in a table for those who can't see it. */
export function CallsChart({ timeline }: { readonly timeline: TelemetrySnapshot['timeline'] }) {
  const scheme = useColorScheme();
  return (
    <figure className="gh-chart" aria-label="Calls over time">
      <Plot key={scheme} timeline={timeline} />
      <Fold title="Show as table">
        <section className="gh-chart-numbers" aria-label="Calls over time, in numbers" {...FOCUSABLE}>
          <table>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">{DISPLAY_WORDS.completed}</th>
                <th scope="col">{DISPLAY_WORDS.failed}</th>
                <th scope="col">{DISPLAY_WORDS.denied}</th>
              </tr>
            </thead>
            <tbody>
              {timeline
                .filter((step) => step.succeeded + step.failed + step.denied > 0)
                .map((step) => (
                  <tr key={step.at}>
                    <td>{formatWhen(step.at)}</td>
                    <td>{step.succeeded}</td>
                    <td>{step.failed}</td>
                    <td>{step.denied}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </section>
      </Fold>
    </figure>
  );
}

/** Drawn anew with each colour scheme: pixels don't follow the tokens by themselves. */
function Plot({ timeline }: { readonly timeline: TelemetrySnapshot['timeline'] }) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const { at, succeeded, failed, denied } = stackColumns(timeline);
    const plot = new uPlot(options(element.clientWidth), [[...at], [...denied], [...failed], [...succeeded]], element);
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [timeline]);

  return <div ref={holder} aria-hidden />;
}

function options(width: number): uPlot.Options {
  const axis = { stroke: resolveColor('--text-secondary'), font: '11px system-ui', ticks: { show: false } };
  const grid = { stroke: resolveColor('--line'), width: 1 };
  const bars = uPlot.paths.bars?.({ size: [0.7, 24] });
  const series = (label: string, color: string): uPlot.Series => ({
    label,
    fill: color,
    stroke: color,
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Half a step on either side, so that the first and last bars are whole.
      x: { range: (plot, min, max) => paddedRange(plot, min, max) },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max)] },
    },
    axes: [
      { ...axis, grid: { show: false } },
      {
        ...axis,
        grid,
        size: 36,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000, 500_000, 1_000_000],
      },
    ],
    series: [
      {},
      series(DISPLAY_WORDS.denied, resolveColor('--chart-denied')),
      series(DISPLAY_WORDS.failed, resolveColor('--chart-failed')),
      series(DISPLAY_WORDS.completed, resolveColor('--chart-completed')),
    ],
  };
}

function paddedRange(plot: uPlot, min: number, max: number): [number, number] {
  const steps = Math.max(1, (plot.data[0].length || 1) - 1);
  const half = (max - min) / steps / 2 || 1;
  return [min - half, max + half];
}
