import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtRoot, type RootSource } from './built-root.js';

let base = '';
let folder = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'gatehouse-roots-'));
  folder = join(base, 'worker');
  mkdirSync(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const build = (lines: readonly string[], changes: Partial<RootSource> = {}) => {
  const file = join(folder, 'Containerfile');
  writeFileSync(file, ['FROM scratch', ...lines, 'CMD ["/x"]'].join('\n'));
  const source = {
    roots: join(base, 'roots'),
    folder,
    file,
    name: 'd-w',
    digest: 'a'.repeat(24),
    kept: new Set<string>(),
  };
  return builtRoot({ ...source, ...changes }, new AbortController().signal);
};
/** Made by the system's own tar, of what `make` puts there. */
function archive(name: string, make: (at: string) => void, ...options: string[]): void {
  const at = mkdtempSync(join(base, 'packed-'));
  make(at);
  execFileSync('tar', ['-C', at, ...options, '-cf', join(folder, name), '.']);
}

/** What tar itself would refuse to pack is written by hand. */
function entry(name: string, type: string, content: string, target = '', size = Buffer.byteLength(content)): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000755\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write(type, 156);
  header.write(target, 157);
  header.write('ustar\x0000', 257);
  header.write('        ', 148);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.from(content), Buffer.alloc((512 - (Buffer.byteLength(content) % 512)) % 512)]);
}

describe('a root that is put together without an engine', () => {
  it('has what is copied and unpacked, with what may be run, and what every container has', async () => {
    writeFileSync(join(folder, 'run'), '#!/bin/sh\n', { mode: 0o755 });
    mkdirSync(join(folder, 'lib', 'deep'), { recursive: true });
    writeFileSync(join(folder, 'lib', 'deep', 'a'), 'a');
    for (const [name, ...options] of [
      ['plain.tar'],
      ['packed.tgz', '-z'],
      ['long.tar', '--format=pax'],
      ['gnu.tar', '--format=gnu'],
    ] as const)
      archive(
        name,
        (at) => {
          const deep = join(at, 'usr', 'x'.repeat(90), 'y'.repeat(90));
          mkdirSync(deep, { recursive: true });
          writeFileSync(join(deep, 'ü.bin'), randomBytes(70_000));
          writeFileSync(join(at, 'usr', 'ran'), name, { mode: 0o4755 });
          symlinkSync('usr', join(at, 'bin'));
          execFileSync('ln', [join(at, 'usr', 'ran'), join(at, 'usr', 'same')]);
          chmodSync(join(at, 'usr'), 0o555);
        },
        ...options,
      );
    const { root, process } = await build([
      'ADD packed.tgz /packed/',
      'ADD plain.tar /',
      'ADD long.tar /long',
      'ADD gnu.tar gnu',
      'COPY plain.tar /kept.tar',
      // By a link that was unpacked.
      'COPY run /bin/run',
      'COPY run lib /srv/',
      'COPY lib/deep/a /usr',
      'WORKDIR /work/here',
    ]);
    const read = (path: string): string => readFileSync(join(root, path), 'utf8');
    expect([read('packed/usr/ran'), read('usr/ran'), read('long/usr/same'), read('gnu/usr/ran')]).toEqual([
      'packed.tgz',
      'plain.tar',
      'long.tar',
      'gnu.tar',
    ]);
    for (const at of ['long', 'gnu', 'packed'])
      expect(lstatSync(join(root, at, 'usr', 'x'.repeat(90), 'y'.repeat(90), 'ü.bin')).size).toBe(70_000);
    // What a file may do to others is left out.
    expect(lstatSync(join(root, 'usr/ran')).mode & 0o7777).toBe(0o755);
    expect(lstatSync(join(root, 'usr/same')).ino).toBe(lstatSync(join(root, 'usr/ran')).ino);
    expect([readlinkSync(join(root, 'bin')), lstatSync(join(root, 'usr/run')).mode & 0o777, read('srv/run')]).toEqual([
      'usr',
      0o755,
      '#!/bin/sh\n',
    ]);
    expect([read('srv/deep/a'), read('usr/a'), lstatSync(join(root, 'kept.tar')).isFile()]).toEqual(['a', 'a', true]);
    expect(readdirSync(root)).toEqual(expect.arrayContaining(['proc', 'dev', 'tmp', 'etc', 'work']));
    expect(read('etc/passwd')).toContain('worker:x:65534');
    expect(process.folder).toBe('/work/here');
    expect(readdirSync(join(base, 'roots'))).toEqual([`d-w-${'a'.repeat(24)}`]);
  });

  it('is written to nowhere else, whatever an archive holds', async () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    const packed = (...entries: Buffer[]): void =>
      writeFileSync(join(folder, 'a.tar'), Buffer.concat([...entries, Buffer.alloc(1024)]));
    packed(
      entry('out', '2', '', outside),
      entry('out/planted', '0', 'x'),
      entry('up', '2', '', '../../../../../..'),
      entry(`up${outside}/planted`, '0', 'x'),
      entry(`../../../../../../..${outside}/planted`, '0', 'x'),
      entry(`${outside}/planted`, '0', 'x'),
    );
    const { root } = await build(['ADD a.tar /', `COPY Containerfile /out/copied`]);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(join(root, outside, 'copied'))).toBe(true);
    for (const [entries, why] of [
      [[entry('d', '3', '')], 'Containerfile:2: a.tar: d in the archive is a device'],
      [[entry('round', '2', '', 'round'), entry('round/x', '0', '')], 'leads round in a circle'],
      [[entry('a', '1', '', outside)], 'is linked to before it is there'],
      [[entry('a', '0', 'x').fill(1, 148, 154)], 'damaged, or no archive'],
    ] as const) {
      packed(...entries, entry('b', '0', 'x'));
      await expect(build(['ADD a.tar /'], { digest: 'b'.repeat(24) })).rejects.toThrow(why);
    }
    writeFileSync(join(folder, 'a.tar'), entry('a', '0', 'x'.repeat(600)).subarray(0, 900));
    await expect(build(['ADD a.tar /'], { digest: 'b'.repeat(24) })).rejects.toThrow('ends in the middle');
    writeFileSync(
      join(folder, 'a.tar'),
      gzipSync(entry('a', '0', randomBytes(9000).toString('hex'))).subarray(0, 6000),
    );
    await expect(build(['ADD a.tar /'], { digest: 'b'.repeat(24) })).rejects.toThrow('a.tar: unexpected end of file');
    writeFileSync(join(folder, 'a.tar'), Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]));
    await expect(build(['ADD a.tar /'], { digest: 'b'.repeat(24) })).rejects.toThrow('packed by xz');
    // Of none of these anything is left.
    expect(readdirSync(join(base, 'roots'))).toEqual([]);
  });

  it('holds no more than a system does, however small it was packed', async () => {
    writeFileSync(join(folder, 'a.tar'), entry('big', '0', 'x', '', 5 * 2 ** 30));
    await expect(build(['ADD a.tar /'])).rejects.toThrow('at most 4 GB of files');
  });

  it('is made once for each content, and goes with the next of its name', async () => {
    const first = await build([]);
    writeFileSync(join(first.root, 'mark'), '');
    expect(existsSync(join((await build([])).root, 'mark'))).toBe(true);
    mkdirSync(join(base, 'roots', `d-w-making-1-${'c'.repeat(24)}`));
    await build([], { name: 'd-w-other', digest: 'd'.repeat(24) });
    const kept = await build([], { digest: 'b'.repeat(24), kept: new Set([first.root]) });
    expect(existsSync(first.root)).toBe(true);
    await build([], { digest: 'c'.repeat(24) });
    expect([first.root, kept.root].map((path) => existsSync(path))).toEqual([false, false]);
    expect(readdirSync(join(base, 'roots'))).toHaveLength(2);
  });

  it('says what is missing, with its line', async () => {
    await expect(build(['COPY nothing /'])).rejects.toThrow(
      'Containerfile:2: nothing: it is not in the worker’s folder.',
    );
    writeFileSync(join(folder, '.dockerignore'), 'x');
    await expect(build([])).rejects.toThrow('.dockerignore is not read with runc alone');
  });
});
