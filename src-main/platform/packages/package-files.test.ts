import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { digestFiles, forgetPackages, keepPackage, readPackage } from './package-files.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gh-package-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const problemIn = (path: string): string => {
  const read = readPackage(path);
  return read.ok ? 'none' : read.problem;
};

it('is bounded: its depth, and its bytes in all', () => {
  const deep = folder();
  mkdirSync(join(deep, ...Array.from({ length: 33 }, () => 'a')), { recursive: true });
  expect(problemIn(deep)).toMatch(/nested more than 32 deep/u);

  const large = folder();
  writeFileSync(join(large, 'a'), 'x');
  writeFileSync(join(large, 'b'), '');
  // The file is nothing but a hole: it takes no disk. Together they are one byte too many.
  truncateSync(join(large, 'b'), 256 * 2 ** 20);
  expect(problemIn(large)).toMatch(/^b: a package has at most 256 MB/u);
});

it('what is neither file nor folder is refused, and nobody waits for it', () => {
  const path = folder();
  execFileSync('mkfifo', [join(path, 'pipe')]);
  expect(problemIn(path)).toMatch(/^pipe: it is neither a file nor a folder/u);
});

it('leaves nothing open, whatever it comes to', () => {
  const path = folder();
  writeFileSync(join(path, 'a'), 'x');
  writeFileSync(join(path, 'b'), '');
  truncateSync(join(path, 'b'), 257 * 2 ** 20);
  expect(problemIn(path)).toMatch(/^b: /u);
  const open = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  expect(open.filter((each) => each.startsWith(path))).toEqual([]);
});

it('its digest is of names, of what can be started, and of bytes, in whatever order they came', () => {
  const digestAfter = (change: (path: string) => void): string => {
    const path = folder();
    writeFileSync(join(path, 'a'), 'one');
    writeFileSync(join(path, 'b'), 'two');
    change(path);
    const read = readPackage(path);
    return read.ok ? read.read.digest : expect.fail(read.problem);
  };
  const all = [
    digestAfter(() => undefined),
    digestAfter((path) => renameSync(join(path, 'b'), join(path, 'c'))),
    digestAfter((path) => chmodSync(join(path, 'b'), 0o755)),
    digestAfter((path) => writeFileSync(join(path, 'b'), 'owt')),
  ];
  expect(new Set(all).size).toBe(4);
  const [one, other] = ['a', 'b'].map((name) => [name, { bytes: Buffer.from(name), executable: false }] as const);
  if (one === undefined || other === undefined) expect.fail();
  expect(digestFiles(new Map([other, one]))).toBe(digestFiles(new Map([one, other])));
});

it('is kept whole over what a crash left of it, for nobody to write to, and forgotten with what nothing runs from', () => {
  const path = folder();
  writeFileSync(join(path, 'run'), 'x');
  chmodSync(join(path, 'run'), 0o755);
  const read = readPackage(path);
  if (!read.ok) expect.fail(read.problem);
  const within = folder();
  // The state that a process with our own number left, halfway.
  const halfMade = join(within, `.${read.read.digest.slice(0, 16)}-${process.pid}`);
  mkdirSync(halfMade);
  writeFileSync(join(halfMade, 'run'), 'half');
  const copy = keepPackage(read.read, within);
  expect(readPackage(copy)).toMatchObject({ ok: true, read: { digest: read.read.digest } });
  expect(statSync(join(copy, 'run')).mode & 0o777).toBe(0o555);
  mkdirSync(join(within, 'of-before'));
  forgetPackages(within, new Set([copy]));
  expect([readdirSync(within), existsSync(copy)]).toEqual([[read.read.digest], true]);
});
