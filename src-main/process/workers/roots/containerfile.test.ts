import { describe, expect, it } from 'vitest';
import { readContainerfile } from './containerfile.js';

const whole = (text: string) => readContainerfile(`FROM scratch\n${text}\nCMD ["/x"]`);
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

describe('a Containerfile that is read without an engine', () => {
  it('says what is put together and what runs', () => {
    const text = [
      '# syntax=docker/dockerfile:1',
      'FROM scratch',
      'ADD root.tar.gz /',
      'LABEL a=b',
      'ENV A=1 B="two words" C=\'3\'',
      'ENV OLD the rest of it',
      'WORKDIR /srv',
      'WORKDIR app',
      'COPY one.py \\',
      '  # between',
      '  two.py lib/',
      'COPY ["a b", "."]',
      'USER 1000',
      'EXPOSE 8080',
      'ENTRYPOINT ["/bin/run"]',
      'CMD ["--fast"]',
    ].join('\n');
    expect(readContainerfile(text)).toEqual({
      copies: [
        { line: 3, sources: ['root.tar.gz'], target: '/', unpacks: true },
        { line: 9, sources: ['one.py', 'two.py'], target: '/srv/app/lib/', unpacks: false },
        { line: 12, sources: ['a b'], target: '/srv/app/', unpacks: false },
      ],
      folders: ['/srv', '/srv/app'],
      process: {
        args: ['/bin/run', '--fast'],
        environment: { PATH, A: '1', B: 'two words', C: '3', OLD: 'the rest of it' },
        folder: '/srv/app',
      },
    });
  });

  it.each([
    ['CMD a "b" && c', ['/bin/sh', '-c', 'a "b" && c']],
    ['ENTRYPOINT a\nCMD ["b"]', ['/bin/sh', '-c', 'a']],
    ['CMD ["a"]\nENTRYPOINT ["b"]', ['b']],
    ['CMD ["a"]\nCMD ["c", "$HOME"]', ['c', '$HOME']],
  ])('runs what an engine would: %s', (text, args) => {
    expect(readContainerfile(`FROM scratch\n${text}`).process.args).toEqual(args);
  });

  it.each([
    [
      'FROM debian:12\nRUN x',
      'Containerfile:1: runc alone has no images to build on, so “FROM debian:12” can’t be had.',
    ],
    ['FROM scratch\nRUN apt-get install x', 'Containerfile:2: RUN can’t be done with runc alone.'],
    ['FROM scratch\nARG A=1', 'Containerfile:2: ARG can’t be done with runc alone.'],
    ['FROM scratch AS one', '“FROM scratch AS one” can’t be had'],
    ['FROM scratch\nFROM scratch', 'Containerfile:2: a second FROM'],
    ['COPY a /', 'Containerfile:1: it begins with “FROM scratch”.'],
    ['FROM scratch\nCOPY --from=x a /', '--from=x can’t be done'],
    ['FROM scratch\nCOPY a', 'what is copied, and where to'],
    ['FROM scratch\nCOPY ../a /', '“../a” leads out of the folder'],
    ['FROM scratch\nCOPY *.py /', '“*.py” is a pattern'],
    ['FROM scratch\nADD https://example.org/x.tar /', 'nothing is fetched'],
    ['FROM scratch\nCOPY a b /c', 'ends with “/”'],
    ['FROM scratch\nENV A=$B', '“$” would be replaced'],
    ['FROM scratch\nENV A', '“A” is no NAME=value'],
    ['FROM scratch\nCMD ["a"', 'is no list of texts'],
    ['FROM scratch\nCMD', 'names no program'],
    ['FROM scratch\nCOPY a /', 'neither CMD nor ENTRYPOINT'],
    ['# escape=`\nFROM scratch', 'the directive “escape”'],
    ['', 'it has no “FROM scratch”'],
  ])('is refused by its line, with what to do: %s', (text, why) => {
    expect(() => readContainerfile(text)).toThrow(why);
  });

  it('that takes an engine says what can be done', () => {
    expect(() => whole('RUN x')).toThrow('Install podman, which builds it whole; or unpack');
  });
});
