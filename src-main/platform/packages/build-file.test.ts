import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBuildFile } from './build-file.js';

const read = (text: string) => readBuildFile(text, 'Containerfile');

describe('a Containerfile, before an engine gets it', () => {
  it('says which images it builds on, and whether it runs anything', () => {
    const text = [
      'ARG VERSION=1',
      '# what it is made with',
      'FROM node:24-slim AS made',
      'COPY --chown=10:10 . /worker',
      'RUN npm run build \\',
      '  # between',
      '  && rm -rf src',
      'FROM registry.example:5000/base@sha256:abc',
      'COPY --from=made /worker /worker',
      'COPY --from=0 ["a b", "/c"]',
      'ADD root.tar.gz /',
      'FROM made',
      'USER 1000',
      'ENV A=$B',
      'CMD ["node", "main.mjs"]',
    ].join('\n');
    expect(read(text)).toEqual({ bases: ['node:24-slim', 'registry.example:5000/base@sha256:abc'], runsAt: 5 });
    expect(read('FROM a\\\nb AS \\ \n# of it\nc\n\nFROM c').bases).toEqual(['ab']);
    expect(read('FROM scratch\r\nCOPY a /\r\n')).toEqual({ bases: [], runsAt: null });
  });

  it.each([
    ['FROM scratch\nADD http://169.254.169.254/latest/meta-data /m', 'Containerfile:2: nothing is fetched'],
    ['FROM scratch\nADD ["HTTPS://example.org/x", "/m"]', 'nothing is fetched'],
    ['FROM scratch\nADD git@example.org:a/b.git /m', 'nothing is fetched'],
    ['FROM scratch\nARG A=http://x\nADD $A /m', 'Containerfile:3: “$”'],
    ['FROM scratch\nADD \\\n  http://x /m', 'Containerfile:2: nothing is fetched'],
    ['FROM scratch\nADD ht\\\ntp:/\\\n/x /m', 'Containerfile:2: nothing is fetched'],
    ['FROM scratch\nADD http:\\//x /m', 'Containerfile:2: “\\” is not taken'],
    ['FROM scratch\nADD ["http:/\\/x", "/m"]', '“\\” is not taken'],
    ['FROM scratch\nADD http:"/"/x /m', 'quotes are taken in a list only'],
    ["FROM scratch\nADD http:'/'/x /m", 'quotes are taken in a list only'],
    ['FROM scratch\nADD ["http:\'/\'/x", "/m"]', 'it is no list of texts'],
    ['FROM scratch\nADD ["a", "/m"] more', 'it is no list of texts'],
    ['FROM scratch\nADD github.com/a/b.git /m', 'nothing is fetched'],
    ['FROM scratch\nADD other@example.org:a/b /m', 'nothing is fetched'],
    ['FROM scratch\nCOPY -\\\n-from=other /x /y', 'Containerfile:2: --from=other reads an image'],
    ['FROM scratch\nCOPY ["--from=other", "/x", "/y"]', 'is read as a flag'],
    ['FROM a\nRUN -\\\n-network=host x', 'Containerfile:2: --network=host'],
    ['FROM a\nRUN <\\\n<EOF\nx\nEOF', '“<<”'],
    ['FROM a\nLABEL a=b\\\\\nADD http://x /', 'Containerfile:2: whether it goes on'],
    ['FROM a\nL\\\nABEL a=b\nON\\\nBUILD RUN x', 'Containerfile:4: ONBUILD is not taken here'],
    ['FROM scratch\nadd --checksum=x a /m', '--checksum=x is not taken here'],
    ['FROM scratch\nADD --keep-git-dir=true a /m', 'is not taken here'],
    ['FROM a\nRUN --network=host curl 127.0.0.1', 'Containerfile:2: --network=host'],
    ['FROM a\nRUN \\\n  --mount=type=bind,from=other,target=/o cat /o/x', '--mount=type=bind'],
    ['FROM a\nRUN --security=insecure x', '--security=insecure'],
    ['FROM a\nRUN <<EOF\nx\nEOF', '“<<”'],
    ['FROM scratch\nCOPY <<EOF /x\nADD http://x /\nEOF', '“<<”'],
    ['FROM scratch\nCOPY --from=docker.io/library/node /x /y', 'not one of its own stages'],
    ['FROM scratch\nCOPY --from=0 /x /y', 'not one of its own stages'],
    ['FROM scratch AS a\nCOPY --from=a /x /y', 'not one of its own stages'],
    ['FROM scratch\nCOPY --link a /y', '--link is not taken here'],
    ['FROM scratch AS a\nFROM scratch\nCOPY --from=$S /x /y', 'not one of its own stages'],
    ['ARG B=node\nFROM $B', 'Containerfile:2: “$” after FROM'],
    ['FROM ${B:-node}', '“$” after FROM'],
    ['FROM --platform=linux/arm64 node', '--platform=linux/arm64'],
    ['FROM http://x/y.tar', 'is no name of an image'],
    ['FROM oci-archive:/etc/x', 'is no name of an image'],
    ['FROM dir:x', 'is no name of an image'],
    ['FROM a b', 'it takes an image'],
    ['# syntax=evil/frontend\nFROM a', 'Containerfile:1: it says how it is to be read'],
    ['#Syntax = evil/frontend\nFROM a', 'it says how it is to be read'],
    ['# escape=`\nFROM a', 'it says how it is to be read'],
    ['FROM a\nONBUILD ADD http://x /', 'ONBUILD is not taken here'],
    ['FROM a\nINCLUDE x', 'INCLUDE is not taken here'],
    ['FROM a\nLABEL a=b \\\n\nADD http://x /', 'this one is empty'],
    ['FROM a\nRUN\u00a0--network=host x', 'not seen'],
    ['FROM a\nRUN x\u2028ADD http://x /', 'not seen'],
    ['FROM a\nCOPY a\u200b /x', 'not seen'],
    ['RUN x', 'it begins with FROM'],
    ['', 'it has no FROM'],
    [`FROM a\n${'RUN x\n'.repeat(501)}`, 'more than 500 instructions'],
    [`FROM a\nRUN ${'x'.repeat(70_000)}`, 'longer than 64 KiB'],
  ])('is refused by its line: %s', (text, why) => {
    expect(() => read(text)).toThrow(why);
  });

  it('never fetches, and never reads another image, however it is written', () => {
    const bad = fc.constantFrom('ADD http://h/x /m', 'RUN --network=host x', 'COPY --from=other /x /y', 'FROM $X');
    const around = fc.array(fc.constantFrom('COPY a /', 'RUN x', '# a', 'ENV A=1', ''), { maxLength: 4 });
    const spelled = fc
      .tuple(bad, fc.boolean(), fc.constantFrom(' ', '\t', '  ', ' \\\n  ', ' \\\n# c\n'), fc.nat())
      .map(([line, lower, blank, at]) => {
        const [word = '', ...rest] = line.split(' ');
        const spelt = [lower ? word.toLowerCase() : word, ...rest].join(blank);
        // A word that goes on in the next line is one word.
        const cut = at % spelt.length;
        return `${spelt.slice(0, cut)}\\\n${spelt.slice(cut)}`;
      });
    fc.assert(
      fc.property(around, spelled, around, (before, line, after) => {
        expect(() => read(['FROM a', ...before, line, ...after].join('\n'))).toThrow();
      }),
    );
  });
});
