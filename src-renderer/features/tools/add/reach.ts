import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';

/** The reach of a program on this computer: chosen by the person, nothing at first. */
export interface ProgramReach {
  readonly network: 'none' | 'hosts' | 'any';
  readonly hosts: string;
  readonly filesystem: 'none' | 'read' | 'write';
}

export const NO_REACH: ProgramReach = { network: 'none', hosts: '', filesystem: 'none' };

const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/iu;

export type ReachReading =
  | { readonly ok: true; readonly settings: Pick<SourceSettings, 'network' | 'filesystem'> }
  | { readonly ok: false; readonly problem: string };

export function toReachSettings({ network, hosts, filesystem }: ProgramReach): ReachReading {
  const named = hosts.split(/[\s,]+/u).filter((host) => host !== '');
  const wrong = named.find((host) => !HOST.test(host));
  if (network === 'hosts' && wrong !== undefined) {
    return { ok: false, problem: `“${wrong}” is no host. Write hosts such as api.example.com or localhost:8080.` };
  }
  if (network === 'hosts' && named.length === 0) return { ok: false, problem: 'Name the hosts that it may reach.' };
  const list = network === 'any' ? ['*'] : network === 'hosts' ? named : [];
  return {
    ok: true,
    settings: { ...(list.length === 0 ? {} : { network: list }), ...(filesystem === 'none' ? {} : { filesystem }) },
  };
}
