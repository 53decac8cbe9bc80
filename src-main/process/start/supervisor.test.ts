import { describe, expect, it } from 'vitest';
import { createHeadTail } from '../../domain/text/head-tail.js';
import { signalName, findStruckLimit } from '../ending/struck-limit.js';
import { buildModelCopy, STDERR_HEADER } from '../output/model-copy.js';
import { configWith } from '../process.test-support.js';
import { encodeAsk, childrenCpuMs, limitArguments } from './supervisor.js';

describe('the supervisor', () => {
  it('is given words that nothing can join or part', () => {
    expect(encodeAsk('mark', ['/bin/sh', '-c', 'a b\n"c"', ''])).toBe('mark\0/bin/sh\0-c\0a b\n"c"\0\0');
  });

  it('reports the children’s times, whatever the locale writes between seconds', () => {
    expect(childrenCpuMs('0m0.001s 0m0.002s\n1m2.500s 0m0.250s\n')).toBe(62_750);
    expect(childrenCpuMs('0m0,001s 0m0,002s\n0m2,500s 0m0,250s\n')).toBe(2750);
    expect(childrenCpuMs('')).toBeNull();
  });

  it('limits CPU time softly before hard, and counts in the shell’s units', () => {
    const { run_command: settings } = configWith({
      max_cpu_seconds: 7,
      max_memory_bytes: 4097,
      max_file_bytes: 1024,
    }).tools;
    const limits = limitArguments(settings);
    expect(limits.indexOf('-St')).toBeLessThan(limits.indexOf('-Ht'));
    expect(limits.join(' ')).toBe('-c 0 -St 7 -Ht 12 -d 5 -v 268435456 -n 4096 -f 1');
  });
});

describe('the limit that ended a command', () => {
  const status = (exitCode: number, signal: number | null = null) => ({ exitCode, signal });

  it.each([
    [status(152, 24), '', { limit: 'max_cpu_seconds', code: null }],
    [status(153, 25), '', { limit: 'max_file_bytes', code: null }],
    [status(1), 'sh: 1: Cannot fork\n', { limit: 'max_processes', code: 1 }],
    [status(1), 'Traceback …\nMemoryError\n', { limit: 'max_memory_bytes', code: 1 }],
    [status(24), 'open: Too many open files\n', { limit: 'max_open_files', code: 24 }],
    [status(1), 'cat: write error: File too large\n', { limit: 'max_file_bytes', code: 1 }],
    [status(0), 'MemoryError\n', null],
    [status(1), `MemoryError\n${'later\n'.repeat(5)}`, null],
    [status(139, 11), '', null],
  ])('%j with %j is %j', (ended, words, struck) => {
    expect(findStruckLimit(ended, { usedMs: 1000, ranMs: 1100, maxMs: 1000 }, words)).toEqual(struck);
  });

  it('is not CPU time where that was not used', () => {
    expect(findStruckLimit(status(152, 24), { usedMs: 100, ranMs: 200, maxMs: 1000 }, '')).toBeNull();
  });

  it('names signals', () => {
    expect(signalName(9)).toBe('SIGKILL');
    expect(signalName(60)).toBe('signal 60');
  });
});

describe('the model’s copy of both streams', () => {
  const copy = (stdout: string, stderr: string, limit: number) => {
    const ends = [stdout, stderr].map((text) => {
      const collected = createHeadTail(limit);
      collected.push(text);
      return collected;
    });
    const [one, other] = ends;
    if (one === undefined || other === undefined) throw new Error('two were made');
    return buildModelCopy(one, other, limit);
  };

  it.each([
    ['a'.repeat(1000), ''],
    ['a'.repeat(1000), 'e'.repeat(20)],
    ['a'.repeat(20), 'e'.repeat(1000)],
    ['é'.repeat(1000), '🎈'.repeat(1000)],
    ['', 'e'.repeat(1000)],
  ])('fits, its heading included, and counts what is left out', (stdout, stderr) => {
    for (const limit of [0, 1, 20, 100, 400, 5000]) {
      const { stdout: out, stderr: err, leftOut } = copy(stdout, stderr, limit);
      const whole = err === '' ? out : out + STDERR_HEADER + err;
      expect(Buffer.byteLength(whole)).toBeLessThanOrEqual(limit);
      if (limit >= 5000 - 12 && Buffer.byteLength(stdout + stderr) < limit - 12) expect(leftOut).toBe(0);
    }
  });

  it('leaves neither stream without a word', () => {
    const { stdout, stderr } = copy('a'.repeat(10_000), 'e'.repeat(10_000), 1000);
    expect(stdout).toMatch(/^a{100}/u);
    expect(stderr).toMatch(/^e{50}/u);
  });
});
