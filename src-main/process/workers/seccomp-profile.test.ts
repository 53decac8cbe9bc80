import { expect, test } from 'vitest';
import { buildWorkerProfile } from './seccomp-profile.js';

test('What no command may is taken out wherever it stands, and nothing is made up where there is no list', () => {
  const allow = { action: 'SCMP_ACT_ALLOW' };
  const theirs = {
    defaultAction: 'SCMP_ACT_ERRNO',
    archMap: [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] }],
    syscalls: [
      { names: ['read', 'keyctl', 'clone3', 'unshare', 'socket'], ...allow },
      { names: ['mount'], ...allow },
    ],
  };
  const ours = JSON.parse(buildWorkerProfile(JSON.stringify(theirs)) ?? '') as typeof theirs;
  expect(ours.defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(ours.archMap[0]?.subArchitectures).toEqual([]);
  const allowed = ours.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
  expect([...new Set(allowed)]).toEqual(['read', 'clone', 'socket', 'socketpair']);
  for (const text of ['', '[]', '{"syscalls":[{}]}']) expect(buildWorkerProfile(text)).toBeNull();
});
