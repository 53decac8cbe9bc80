import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDomainPackage } from '../../tools/packages/read-package.js';
import { readPackage } from '../../platform/packages/package-files.js';

it.each(['calculator', 'firecrawl'] as const)(
  '%s is a package, as it runs here and as its compose file runs it',
  (name) => {
    const read = readPackage(`resources/domains/${name}`);
    if (!read.ok) expect.fail(read.problem);
    const here = readDomainPackage(read.read, []);
    if (!here.ok) expect.fail(here.problems.join());
    const files = new Map(read.read.files);
    const manifest = files.get('manifest.compose.yaml') ?? expect.fail('no manifest for containers');
    files.set('manifest.yaml', manifest);
    const composed = readDomainPackage({ ...read.read, files }, []);
    if (!composed.ok) expect.fail(composed.problems.join());
    const same = ({ worker: _worker, baseUrl: _url, digest: _digest, ...tool }: (typeof here.package.tools)[number]) =>
      tool;
    expect(composed.package.tools.map(same)).toEqual(here.package.tools.map(same));
    expect(composed.package.tools.every(({ worker }) => worker === null)).toBe(true);
    const { services } = parse(Buffer.from(files.get('compose.yaml')?.bytes ?? []).toString()) as {
      readonly services: Readonly<Record<string, { readonly build?: string }>>;
    };
    for (const { baseUrl } of composed.package.tools) {
      const { hostname } = new URL(baseUrl ?? '');
      const folder = services[hostname]?.build?.slice(2) ?? expect.fail(`${hostname} is no service`);
      expect(files.has(`${folder}/Containerfile`)).toBe(true);
    }
  },
);
