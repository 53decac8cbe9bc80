import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';

export interface OtlpOptions {
  /** `[telemetry] otlp_endpoint`: the collector's address, with or without `/v1/metrics`. */
  readonly endpoint: string;
  readonly version: string;
  readonly intervalMs?: number;
}

export interface OtlpMetrics {
  /** Give it to `journal.onCommit`: what is counted is what was recorded, and nothing else. */
  readonly record: (events: readonly JournalEvent[], calls: readonly CallSummary[]) => void;
  /** Sends what is there and ends; gives up after a few seconds when nobody answers. */
  readonly stop: () => Promise<void>;
}

const EVERY_MS = 60_000;
const PATIENCE_MS = 3000;

/** Seed 000 §8.2 over OTLP, by OpenTelemetry's own packages, which are loaded only when somebody wants it. */
export async function startOtlpMetrics({
  endpoint,
  version,
  intervalMs = EVERY_MS,
}: OtlpOptions): Promise<OtlpMetrics> {
  const [{ MeterProvider, PeriodicExportingMetricReader }, { OTLPMetricExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-metrics'),
      import('@opentelemetry/exporter-metrics-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPMetricExporter({ url: metricsUrl(endpoint), timeoutMillis: PATIENCE_MS });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'service.name': 'gatehouse', 'service.version': version }),
    readers: [
      new PeriodicExportingMetricReader({
        exporter,
        exportIntervalMillis: intervalMs,
        exportTimeoutMillis: PATIENCE_MS,
      }),
    ],
  });
  const meter = provider.getMeter('gatehouse', version);
  const transitions = meter.createCounter('gatehouse.transitions', { description: 'Recorded facts, by kind.' });
  const settled = meter.createCounter('gatehouse.calls', { description: 'Settled calls, by tool and outcome.' });
  const rollbacks = meter.createCounter('gatehouse.rollbacks', {
    description: 'Calls whose changes were rolled back.',
  });
  const denials = meter.createCounter('gatehouse.denials', { description: 'Calls that were denied.' });
  const duration = meter.createHistogram('gatehouse.call.duration', { unit: 'ms' });
  const cpu = meter.createCounter('gatehouse.call.cpu', { unit: 'ms' });
  const memory = meter.createHistogram('gatehouse.call.peak_memory', { unit: 'By' });

  return {
    record(events, calls) {
      const byId = new Map(calls.map((call) => [call.callId, call]));
      for (const event of events) {
        transitions.add(1, { type: event.type });
        const call = event.type === 'call-settled' ? byId.get(event.callId) : undefined;
        if (event.type !== 'call-settled' || call === undefined) continue;
        const attributes = { tool: call.tool, door: call.door };
        settled.add(1, { ...attributes, outcome: call.outcome ?? 'error', code: call.code ?? 'none' });
        if (call.state === 'ROLLED_BACK') rollbacks.add(1, attributes);
        if (call.outcome === 'denied') denials.add(1, attributes);
        if (event.durationMs !== null) duration.record(event.durationMs, attributes);
        if (event.result.cpuMs !== null) cpu.add(event.result.cpuMs, attributes);
        if (event.result.peakMemoryBytes !== null) memory.record(event.result.peakMemoryBytes, attributes);
      }
    },
    stop: () => provider.shutdown(),
  };
}

function metricsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/metrics')) url.pathname = `${url.pathname.replace(/\/+$/u, '')}/v1/metrics`;
  return url.href;
}
