import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bridgeWords, findPerl, serverDoor } from './bridge.js';

const perl = findPerl() ?? 'perl';
const scriptOf = (words: readonly string[]): string => words[words.indexOf('-e') + 1] ?? '';
const scripts = {
  bridge: scriptOf(bridgeWords(perl)),
  door: scriptOf(serverDoor(perl, '/x')),
};
const run = (...words: string[]): { said: string; code: number | null } => {
  const { stdout, stderr, status } = spawnSync(perl, words, { encoding: 'utf8' });
  return { said: stdout + stderr, code: status };
};

describe('the bridge, which loads no module of Perl', () => {
  it.each(Object.entries(scripts))('is without a fault to those that it leaves out: %s', (_, script) => {
    expect(run('-Mstrict', '-Mwarnings', '-c', '-e', script)).toEqual({ said: '-e syntax OK\n', code: 0 });
    expect(script).not.toMatch(/^\s*use /mu);
  });

  it('has the numbers and the addresses of this machine', () => {
    const [ours = ''] = /^my \(\$PF_UNIX[^]*?(?=\nmy )/mu.exec(scripts.bridge) ?? [];
    const [numbers = ''] = /^my \(\$F_SETFL.*$/mu.exec(scripts.bridge) ?? [];
    const same = `${ours}\n${numbers}
      use Socket qw(:all); use Fcntl; use Errno qw(EINTR EAGAIN);
      my @pairs = (
        [unix_at('/run/x'), pack_sockaddr_un('/run/x')], [inet_at(8080), pack_sockaddr_in(8080, INADDR_LOOPBACK)],
        [inet6_at(8080), pack_sockaddr_in6(8080, inet_pton(AF_INET6, '::1'))],
        [$PF_UNIX, PF_UNIX], [$PF_INET, PF_INET], [$PF_INET6, PF_INET6], [$STREAM, SOCK_STREAM], [1, SOL_SOCKET],
        [2, SO_REUSEADDR], [$F_SETFL, F_SETFL], [$O_NONBLOCK, O_NONBLOCK], [$EINTR, EINTR], [$EAGAIN, EAGAIN]);
      print join ' ', map { $_->[0] eq $_->[1] ? 'same' : "other: @$_" } @pairs`;
    expect(run('-e', same).said).toBe(Array.from({ length: 13 }, () => 'same').join(' '));
  });

  it('says of a path that is too long what it is, rather than listen at another', () => {
    expect(run('-e', scripts.bridge, `unix:/tmp/${'x'.repeat(200)}=tcp:1`, '--')).toEqual({
      said: expect.stringMatching(/could not be made: .*File name too long\n$/u) as string,
      code: 126,
    });
  });
});
