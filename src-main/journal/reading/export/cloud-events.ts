import { CloudEvent } from 'cloudevents';
import type { LifecycleEventView } from '#contract/vocabulary/calls.js';
import type { ExportedCall } from './exported-call.js';

const EVENT_SOURCE = 'gatehouse';
/** The tenant: who acts and for whom are one person here; seed 004's names stay, so that its consumers find them. */
const TENANT = 'local';

/**
 * Seed 004 §4.3: `invoked` once permission was given, and one of `succeeded`, `failed` and, for time-outs, `timeout`
 * beside `failed`. A call that never was permitted has no `invoked`, only its failure.
 */
/** Something may have been said of it since it ended. */
const findEndEvent = ({ events, state }: ExportedCall): LifecycleEventView | undefined =>
  events.find((event) => event.state === state) ?? events.at(-1);

export function toCloudEvents(call: ExportedCall): CloudEvent<object>[] {
  const common = {
    agent_did: call.agent ?? call.client ?? call.door,
    tenant_id: TENANT,
    tool_id: call.tool,
    tool_version: call.version ?? 'unknown',
  };
  const events: CloudEvent<object>[] = [];
  const permitted = call.events.find((event) => event.state === 'AUTHORIZED');
  if (permitted !== undefined) {
    events.push(
      buildEvent('invoked', call.callId, permitted.at, {
        ...common,
        parameters: call.arguments,
        async_mode: false,
        priority: 'normal',
      }),
    );
  }
  const end = call.outcome === null ? undefined : findEndEvent(call);
  if (end === undefined) return events;
  const metadata = {
    ...(call.durationMs === null ? {} : { duration_ms: call.durationMs }),
    ...(call.cpuMs === null ? {} : { cpu_used_millicore_seconds: call.cpuMs }),
    ...(call.peakMemoryBytes === null ? {} : { memory_peak_mb: call.peakMemoryBytes / 2 ** 20 }),
    documents_accessed: [],
    checkpoints_created: [],
  };
  const data = { invocation_id: call.callId, ...common, execution_metadata: metadata };
  if (call.outcome === 'success') {
    return [
      ...events,
      buildEvent('succeeded', eventId(end), end.at, { ...data, result_summary: shortenResult(call.result ?? '') }),
    ];
  }
  const error = {
    code: call.outcome === 'timeout' ? 'timeout' : (call.code ?? 'Internal'),
    message: call.reason ?? '',
    retryable: call.code === 'Timeout' || call.code === 'ResourceExhausted',
  };
  events.push(buildEvent('failed', eventId(end), end.at, { ...data, error }));
  if (call.outcome === 'timeout')
    events.push(buildEvent('timeout', `${eventId(end)}-timeout`, end.at, { ...data, error }));
  return events;
}

/** The SDK checks what it makes: an event that is not CloudEvents 1.0 throws here. */
function buildEvent(kind: string, id: string, at: number, data: object): CloudEvent<object> {
  return new CloudEvent({
    specversion: '1.0',
    type: `ai.agent.tool.${kind}`,
    source: EVENT_SOURCE,
    id,
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    data,
  });
}

function eventId(event: LifecycleEventView): string {
  return `${event.seq}-${event.hash.slice(0, 16)}`;
}

function shortenResult(result: string): string {
  return result.length <= 500 ? result : `${result.slice(0, 500)}…`;
}
