import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestRunner } from './process.test-support.js';

const MIB = 1024 * 1024;

/** A script in which each process takes so many MiB, says so, and waits. */
const holding = (processes: number, mebibytes: number): string =>
  `for i in $(seq ${processes}); do perl -e 'my $x = "a" x (${mebibytes} << 20); sleep 60' & done; wait; echo ended`;

/** A script with one WebAssembly memory for the parser of what is fetched, and some of its own. */
const WITH_WEBASSEMBLY =
  'fetch("data:text/plain,fetched").then((answer) => answer.text()).then((text) => {' +
  'const memories = [1, 2, 3, 4].map((pages) => new WebAssembly.Memory({ initial: pages, maximum: 100 }));' +
  'console.log(text, ...memories.map(({ buffer }) => buffer.byteLength >> 16)) })';

describe.each(['off', 'required'] as const)(
  'what all processes of a command have together (confinement %s)',
  (confinement) => {
    it('is bounded: many that keep to the bound one by one are ended, and the limit is named', async () => {
      await using runner = await openTestRunner();
      const settings = { confinement, max_memory_bytes: 400 * MIB };
      const { ending, stdout } = await runner.run(holding(6, 100), { settings });
      expect({ ending, stdout }).toEqual({
        ending: { kind: 'limit', limit: 'max_memory_bytes', code: null },
        stdout: '',
      });
      expect(runner.log).toEqual([]);
    });

    it('is what they write to, not what they reserve: Node’s fetch and memories of WebAssembly are there', async () => {
      await using runner = await openTestRunner();
      const { ending, stdout, stderr } = await runner.run(`node -e '${WITH_WEBASSEMBLY}'`, {
        settings: { confinement },
      });
      expect({ ending, stdout, stderr }).toEqual({
        ending: { kind: 'exited', code: 0 },
        stdout: 'fetched 1 2 3 4\n',
        stderr: '',
      });
      // And what is written to is bounded at once, whether a control group is to be had or not.
      const settings = { confinement, max_memory_bytes: 400 * MIB };
      const bounded = await runner.run(`perl -e 'my $x = "a" x (900 << 20); print "held"'`, { settings });
      expect([bounded.ending, bounded.stdout]).toMatchObject([{ kind: 'limit', limit: 'max_memory_bytes' }, '']);
    });

    it('counts once what they share', async () => {
      await using runner = await openTestRunner();
      const settings = { confinement, max_memory_bytes: 400 * MIB };
      const command = `perl -e 'my $x = "a" x (150 << 20); for (1..4) { next if fork; sleep 2; exit } 1 while wait > 0; print "shared\\n"'`;
      const { ending, stdout } = await runner.run(command, { settings });
      expect({ ending, stdout }).toEqual({ ending: { kind: 'exited', code: 0 }, stdout: 'shared\n' });
    });
  },
);

it('what is memory and can be written to inside is bounded, all of it', async () => {
  await using runner = await openTestRunner();
  // Every folder that a command may write to, or give itself the right to write to; by the mebibytes that fit.
  const command = `for f in $(cut -d" " -f2 /proc/mounts | sort -u); do chmod u+w "$f" 2>/dev/null; touch "$f/probe" 2>/dev/null && rm "$f/probe" && [ "$(stat -fc %T "$f")" = tmpfs ] && echo "$f $(df -m --output=size "$f" | tail -1)"; done; touch /dev/new 2>&1; echo x >/dev/null && head -c 1 /dev/zero | wc -c; (: </dev/ptmx) && echo terminals`;
  const { stdout } = await runner.run(command, { settings: { confinement: 'required' } });
  const [shm, tmp, varTmp, ...rest] = stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+/gu, ' '));
  expect([shm, tmp, varTmp]).toEqual(['/dev/shm 1024', '/tmp 1024', '/var/tmp 1024']);
  expect(rest).toEqual([expect.stringContaining('Read-only file system'), '1', 'terminals']);
});

describe.runIf(process.getuid?.() === 0)('a disk that a command fills', () => {
  async function onSmallDisk(mebibytes: number) {
    const runner = await openTestRunner();
    const disk = join(runner.outside, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', disk]);
    onTestFinished(async () => {
      // The supervisor that is ready for the next command still stands in it.
      execFileSync('umount', ['--lazy', disk]);
      await runner[Symbol.asyncDispose]();
    });
    return { runner, disk };
  }

  it.each(['off', 'required'] as const)(
    'is not filled to its end (%s): the command is ended, and says why',
    async (confinement) => {
      const { runner, disk } = await onSmallDisk(400);
      const { ending, changedFiles } = await runner.run('head -c 300M /dev/zero >large; sleep 60', {
        settings: { confinement },
        workingDirectory: disk,
      });
      expect(ending).toEqual({ kind: 'limit', limit: 'disk_free', code: null });
      expect(changedFiles.map(({ path }) => path)).toEqual(['large']);
    },
  );

  it('that was full already can be cleared: what makes room is not ended', async () => {
    const { runner, disk } = await onSmallDisk(100);
    const command = 'head -c 20M /dev/zero >some; sleep 1; rm some; echo made room';
    const { ending, stdout } = await runner.run(command, {
      settings: { confinement: 'required' },
      workingDirectory: disk,
    });
    expect({ ending, stdout }).toEqual({ ending: { kind: 'exited', code: 0 }, stdout: 'made room\n' });
    const filling = await runner.run('head -c 80M /dev/zero >large; sleep 60', {
      settings: { confinement: 'required' },
      workingDirectory: disk,
    });
    expect(filling.ending).toEqual({ kind: 'limit', limit: 'disk_free', code: null });
    expect(statSync(join(disk, 'large')).size).toBeGreaterThan(50 * MIB);
  });
});

it.each(['off', 'required'] as const)(
  'a command that stops its terminal’s output for good ends all the same, with its code and what it said (%s)',
  async (confinement) => {
    await using runner = await openTestRunner();
    const command = `perl -e '$| = 1; print "said\\n"; ioctl(STDOUT, 0x540A, 0) // die "refused: $!"; exit 7'`;
    const { ending, stdout } = await runner.run(command, { settings: { confinement } });
    expect({ ending, stdout }).toEqual({ ending: { kind: 'exited', code: 7 }, stdout: 'said\n' });
  },
  30_000,
);
