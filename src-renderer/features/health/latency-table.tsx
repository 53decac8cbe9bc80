import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import type { ToolTelemetry } from '#contract/vocabulary/telemetry.js';
import { formatCount, formatDuration } from '../../ui/text/format.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { computeLogPosition } from './chart-data.js';

/** Per tool: how often, and how long half, 95 and 99 of a hundred calls took at most. */
export function LatencyTable({ tools }: { readonly tools: readonly ToolTelemetry[] }) {
  const longest = Math.max(1, ...tools.map((tool) => tool.p99Ms ?? 0));
  return (
    <section className="gh-latency-scroll" aria-label="Duration by tool" {...FOCUSABLE}>
      <table className="gh-latency" aria-label="Duration">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Calls</th>
            <th scope="col">{DISPLAY_WORDS.failed}</th>
            <th scope="col">{DISPLAY_WORDS.denied}</th>
            <th scope="col">Median</th>
            <th scope="col">p95</th>
            <th scope="col">p99</th>
            <th scope="col">
              <span className="sr-only">Shown as bars</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool.tool}>
              <th scope="row" className="mono">
                {tool.tool}
              </th>
              <td>{formatCount(tool.count)}</td>
              <td>{formatCount(tool.failed)}</td>
              <td>{formatCount(tool.denied)}</td>
              <td>{describeLatency(tool.p50Ms)}</td>
              <td>{describeLatency(tool.p95Ms)}</td>
              <td>{describeLatency(tool.p99Ms)}</td>
              <td className="gh-latency-bars" aria-hidden>
                {([tool.p99Ms, tool.p95Ms, tool.p50Ms] as const).map((ms, n) => (
                  <span key={n} style={{ width: `${computeLogPosition(ms ?? 0, longest) * 100}%` }} />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const describeLatency = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));
