import type {
  DomainPoliciesView,
  DomainReview,
  DomainToolView,
  DomainWorkerView,
} from '#contract/window/tools/domain.js';
import { counted } from '../../../ui/text/format.js';

export const WORKER_STATE_LABELS: Readonly<Record<DomainWorkerView['running'], string>> = {
  stopped: 'Not running',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Ended, starts again soon',
  failed: 'Failed',
};

/** How it is now, in one line. A job worker runs only while it is asked. */
export function describeWorker({ kind, running, healthy, restarts }: DomainWorkerView): string {
  const state = kind === 'job_worker' ? 'One process a call' : WORKER_STATE_LABELS[running];
  return [
    state,
    ...(running === 'running' && healthy === false ? ['doesn’t answer its health check'] : []),
    ...(running === 'running' && healthy === true ? ['answers its health check'] : []),
    ...(restarts > 0 ? [`started again ${restarts === 1 ? 'once' : `${restarts} times`}`] : []),
  ].join(' · ');
}

/** Words the properties of a tool that the person accepted by loading its package. */
export function describeTool({
  asks,
  timeoutSec,
  places,
  worker,
  address,
  egress,
  securityLevel,
}: DomainToolView): string {
  const where = worker === null ? `Runs at ${address ?? 'another place'}` : `Runs in the worker ${worker}`;
  const reach =
    egress.length === 0
      ? worker === null
        ? 'says that it reaches no host'
        : 'reaches no host'
      : `${worker === null ? 'says that it reaches' : 'reaches'} ${egress.join(', ')}`;
  return [
    asks ? 'Asks you' : 'Runs without asking',
    where,
    reach,
    `${timeoutSec} s limit`,
    `${counted(places, 'call')} at once`,
    ...(securityLevel === null ? [] : [`security level ${securityLevel}`]),
  ].join(' · ');
}

export const describePolicies = ({
  global,
  defaultTimeoutSec,
  maxWaiting,
  maxWaitSec,
  egress,
  logLevel,
}: DomainPoliciesView): string =>
  [
    `${counted(global, 'call')} at once`,
    `${counted(maxWaiting, 'call')} may wait, up to ${maxWaitSec} s`,
    `${defaultTimeoutSec} s limit where a tool has none`,
    ...(egress.length === 0 ? [] : [`no worker reaches more than ${egress.join(', ')}`]),
    `log level ${logLevel}`,
  ].join(' · ');

/** Labels of its fields. */
export const TOOL_FIELDS: Readonly<Record<string, string>> = {
  version: 'Version',
  title: 'Title',
  description: 'Description',
  capabilities: 'Capabilities',
  worker: 'Worker',
  command: 'Command',
  build: 'Built from',
  builtOn: 'Built on the images',
  image: 'Image',
  imageId: 'Image id',
  gvisor: 'Runs in gVisor',
  starts: 'Starts',
  address: 'Address',
  leadsHere: 'The address leads to this computer',
  path: 'Path',
  reaches: 'Reaches',
  secrets: 'Secrets',
  asksYou: 'Asks you',
  hasEffects: 'May have effects',
  idempotent: 'May be asked again',
  risk: 'Risk',
  securityLevel: 'Security level',
  timeoutSeconds: 'Time limit (s)',
  inputSchema: 'Arguments',
  outputSchema: 'Result',
};

export function describeReview({ domainId, version, from, tools }: DomainReview): string {
  const of = (what: 'new' | 'changed' | 'gone') => tools.filter(({ change }) => change === what).length;
  const words = [
    ...(of('new') === 0 ? [] : [counted(of('new'), 'new tool')]),
    ...(of('changed') === 0 ? [] : [counted(of('changed'), 'changed tool')]),
    ...(of('gone') === 0 ? [] : [`${counted(of('gone'), 'tool')} that it no longer has`]),
  ].join(', ');
  const what = words === '' ? 'no other tools' : words;
  return from === null
    ? `${domainId} ${version}: ${what}. Nothing of this folder was accepted before.`
    : `${domainId} ${version}, since you accepted ${from}: ${what}. Rules for changed tools end when you accept it.`;
}
