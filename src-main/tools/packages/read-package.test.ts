import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { keepPackage, readPackage } from '../../platform/packages/package-files.js';
import { resolveEgress } from './domain-package.js';
import { readDomainPackage } from './read-package.js';

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const path = mkdtempSync(join(tmpdir(), 'gh-package-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}

function problemsOf(files: Readonly<Record<string, string | Uint8Array>>): readonly string[] {
  const read = readPackage(folder(files));
  if (!read.ok) return [read.problem];
  const taken = readDomainPackage(read.read, ['github']);
  return taken.ok ? [] : taken.problems;
}

const HEAD = 'domain_id: "example"\nversion: "0.1"\ntools:\n';
/** The seed’s own, from line 4 on. */
const tool = (...more: readonly string[]): string =>
  [
    '  - tool_id: "firecrawl.crawl"',
    '    kind: "service_worker"',
    '    transport: {type: "http", base_url: "http://tool-firecrawl:8080", endpoint: "/run"}',
    '    timeout_sec: 60',
    '    egress_allowlist: ["api.firecrawl.dev:443"]',
    ...more.map((line) => `    ${line}`),
    '',
  ].join('\n');

it('the seed’s manifest is taken as it stands, with the defaults of what it leaves out', () => {
  const read = readPackage(folder({ 'manifest.yaml': HEAD + tool() }));
  const taken = read.ok ? readDomainPackage(read.read, []) : expect.fail(read.problem);
  expect(taken).toMatchObject({
    ok: true,
    package: {
      domainId: 'example',
      version: '0.1',
      tools: [
        {
          id: 'firecrawl.crawl',
          version: '1.0.0',
          displayName: 'firecrawl.crawl',
          timeoutSec: 60,
          idempotent: false,
          sideEffecting: true,
          requiresApproval: true,
          risk: 'medium',
          worker: null,
          baseUrl: 'http://tool-firecrawl:8080',
        },
      ],
      policies: { global: 8, perToolDefault: 2, defaultTimeoutSec: 30, maxWaiting: 100, maxWaitSec: 30 },
    },
  });
});

const bomb = `a: &a [1,1]\n${Array.from({ length: 101 }, () => '- *a').join('\n')}`;

it.each([
  ['no manifest', { 'x.txt': '' }, /^manifest\.yaml:1: .*no such file/u],
  ['no UTF-8', { 'manifest.yaml': Buffer.from([0xff, 0xfe, 0x41]) }, /^manifest\.yaml:1: .*UTF-8/u],
  ['no YAML', { 'manifest.yaml': 'domain_id: "x\nversion: [' }, /^manifest\.yaml:\d+: it is no YAML/u],
  ['a key twice', { 'manifest.yaml': 'domain_id: a\ndomain_id: b\n' }, /^manifest\.yaml:2: it is no YAML: .*unique/iu],
  ['a tag', { 'manifest.yaml': 'domain_id: !!js/function "x"\n' }, /^manifest\.yaml:1: /u],
  ['a tag of the core', { 'manifest.yaml': 'domain_id: a\nversion: !!str 1\n' }, /^manifest\.yaml:2: it has a tag/u],
  ['a second document', { 'manifest.yaml': `${HEAD}${tool()}---\na: 1\n` }, /a second document/u],
  [
    'a hundred and one aliases',
    { 'manifest.yaml': bomb.replace('a: &a', 'a: &a').replace('\n- ', '\nb:\n- ') },
    /aliases/u,
  ],
  [
    'a version that is a number',
    { 'manifest.yaml': 'domain_id: a\nversion: 0.1\ntools: []\n' },
    /^manifest\.yaml:2: version must be string/u,
  ],
  ['no tools', { 'manifest.yaml': 'domain_id: a\nversion: "1"\ntools: []\n' }, /^manifest\.yaml:3: tools/u],
  [
    'an unknown kind',
    { 'manifest.yaml': HEAD + tool().replace('service_worker', 'lambda') },
    /^manifest\.yaml:5: tools\.0\.kind/u,
  ],
  [
    'a field that nobody knows',
    { 'manifest.yaml': HEAD + tool('timeout: 3') },
    /^manifest\.yaml:9: tools\.0 has “timeout”/u,
  ],
  [
    'an id that is none',
    { 'manifest.yaml': HEAD + tool().replace('firecrawl.crawl', 'crawl') },
    /^manifest\.yaml:4: tool_id/u,
  ],
  [
    'our own group',
    { 'manifest.yaml': HEAD + tool().replace('firecrawl.crawl', 'gatehouse.read_file') },
    /Gatehouse’s own/u,
  ],
  [
    'our own group in another case',
    { 'manifest.yaml': HEAD + tool().replace('firecrawl.crawl', 'GateHouse.read_file') },
    /Gatehouse’s own/u,
  ],
  ['a source’s name', { 'manifest.yaml': HEAD + tool().replace('firecrawl.crawl', 'GitHub.x') }, /name of a source/u],
  ['an id twice', { 'manifest.yaml': HEAD + tool() + tool() }, /^manifest\.yaml:9: tool_id/u],
  [
    'an id twice but for its case',
    { 'manifest.yaml': HEAD + tool() + tool().replace('crawl"', 'CRAWL"') },
    /^manifest\.yaml:9: tool_id/u,
  ],
  ['a tool’s version that is none', { 'manifest.yaml': HEAD + tool('version: "1.0"') }, /^manifest\.yaml:9: version/u],
  [
    'a schema that is not there',
    { 'manifest.yaml': HEAD + tool('input_schema_ref: in.json') },
    /^manifest\.yaml:9: .*no file of the package/u,
  ],
  [
    'a schema outside',
    { 'manifest.yaml': HEAD + tool('input_schema_ref: ../../etc/passwd') },
    /^manifest\.yaml:9: .*leads out/u,
  ],
  [
    'a schema with a way that other systems read otherwise',
    { 'manifest.yaml': HEAD + tool("input_schema_ref: 'a\\\\in.json'"), 'a\\\\in.json': '{"type":"object"}' },
    /leads out/u,
  ],
  ['a schema that is the package', { 'manifest.yaml': HEAD + tool('input_schema_ref: a/..') }, /leads out/u],
  ['a schema by its root', { 'manifest.yaml': HEAD + tool('input_schema_ref: /etc/passwd') }, /leads out/u],
  [
    'a schema that is none',
    { 'manifest.yaml': HEAD + tool('input_schema_ref: in.json'), 'in.json': '{"type":"objekt"}' },
    /^manifest\.yaml:9: /u,
  ],
  [
    'a schema of no object',
    { 'manifest.yaml': HEAD + tool('input_schema_ref: in.json'), 'in.json': '{"type":"array"}' },
    /no object at its top/u,
  ],
  [
    'a schema that refers out',
    { 'manifest.yaml': HEAD + tool('output_schema_ref: o.json'), 'o.json': '{"$ref":"https://x.example/s"}' },
    /refers outside/u,
  ],
  [
    'a schema with a key twice',
    { 'manifest.yaml': HEAD + tool('input_schema_ref: in.json'), 'in.json': '{"type":"object","type":"object"}' },
    /twice/u,
  ],
  ['userinfo', { 'manifest.yaml': HEAD + tool().replace('http://', 'http://me@') }, /^manifest\.yaml:6: .*base_url/u],
  [
    'metadata',
    { 'manifest.yaml': HEAD + tool().replace('tool-firecrawl:8080', '169.254.169.254') },
    /next to this computer/u,
  ],
  ...['metadata.google.internal', 'METADATA.google.internal.', 'metadata'].map(
    (name): [string, Record<string, string>, RegExp] => [
      `metadata by its name, ${name}`,
      { 'manifest.yaml': HEAD + tool().replace('tool-firecrawl:8080', name) },
      /^manifest\.yaml:6: .*next to this computer/u,
    ],
  ),
  [
    'metadata by version 6',
    { 'manifest.yaml': HEAD + tool().replace('tool-firecrawl:8080', '[fd00:ec2::254]') },
    /next to this computer/u,
  ],
  ['another scheme', { 'manifest.yaml': HEAD + tool().replace('http://', 'ftp://') }, /base_url/u],
  ['an endpoint that climbs', { 'manifest.yaml': HEAD + tool().replace('"/run"', '"/../run"') }, /endpoint/u],
  [
    'an endpoint that climbs when it is read',
    { 'manifest.yaml': HEAD + tool().replace('"/run"', '"/%2E%2e/run"') },
    /endpoint/u,
  ],
  [
    'an endpoint of another host',
    { 'manifest.yaml': HEAD + tool().replace('"/run"', '"//x.example/run"') },
    /endpoint/u,
  ],
  [
    'egress without a port',
    { 'manifest.yaml': HEAD + tool().replace('firecrawl.dev:443', 'firecrawl.dev') },
    /^manifest\.yaml:8: .*no port/u,
  ],
  ['a time-out of none', { 'manifest.yaml': HEAD + tool().replace('60', '0') }, /^manifest\.yaml:7: /u],
  [
    'two ways of a worker',
    { 'manifest.yaml': HEAD + tool('worker: {image: a, command: [b]}') },
    /one of image, build and command/u,
  ],
  [
    'a build outside',
    { 'manifest.yaml': HEAD + tool('worker: {build: ../x}') },
    /^manifest\.yaml:9: .*no folder of the package/u,
  ],
  [
    'a build without a Containerfile',
    { 'manifest.yaml': HEAD + tool('worker: {build: workers/x}'), 'workers/x/a': '' },
    /no Containerfile/u,
  ],
  [
    'an image that is an option',
    { 'manifest.yaml': HEAD + tool('worker: {image: --privileged}') },
    /no name of an image/u,
  ],
  [
    'a secret that is the proxy',
    { 'manifest.yaml': HEAD + tool('secrets: [https_PROXY]', 'worker: {image: a}') },
    /sets itself/u,
  ],
  [
    'a secret that is the port',
    { 'manifest.yaml': HEAD + tool('secrets: [AT]', 'worker: {command: [node], port_env: AT}') },
    /sets itself/u,
  ],
  ['a command by its root', { 'manifest.yaml': HEAD + tool('worker: {command: [node, /etc/x.mjs]}') }, /leads out/u],
  ['a command outside', { 'manifest.yaml': HEAD + tool('worker: {command: [node, ../x.mjs]}') }, /leads out/u],
  [
    'a job that nobody starts',
    { 'manifest.yaml': HEAD + tool().replace('service_worker', 'job_worker') },
    /job_worker/u,
  ],
  [
    'nobody to run it',
    { 'manifest.yaml': `${HEAD}  - {tool_id: a.b, kind: service_worker}\n` },
    /nobody could run it/u,
  ],
  [
    'a policy of a tool that is not there',
    { 'manifest.yaml': HEAD + tool(), 'policies.yaml': 'concurrency:\n  per_tool:\n    a.b: 1\n' },
    /^policies\.yaml:3: .*no tool “a\.b”/u,
  ],
  [
    'a policy that nobody knows',
    { 'manifest.yaml': HEAD + tool(), 'policies.yaml': 'retries: 3\n' },
    /^policies\.yaml:1: /u,
  ],
  ['policies that are nothing', { 'manifest.yaml': HEAD + tool(), 'policies.yaml': '~\n' }, /^policies\.yaml:1: /u],
  [
    'a level that is none',
    { 'manifest.yaml': HEAD + tool(), 'policies.yaml': 'logging:\n  level: loud\n' },
    /^policies\.yaml:2: /u,
  ],
] as const)('refuses %s whole, with file, line and reason', (_what, files, problem) => {
  expect(problemsOf(files as Record<string, string>)[0]).toMatch(problem);
});

it('a refused package names everything that is wrong at once', () => {
  const problems = problemsOf({
    'manifest.yaml': HEAD + tool('input_schema_ref: a.json', 'version: "1"'),
    'policies.yaml': 'nope: 1\n',
  });
  expect(problems.map((problem) => problem.split(': ')[0])).toEqual([
    'manifest.yaml:10',
    'manifest.yaml:9',
    'policies.yaml:1',
  ]);
});

it('reading a package follows no link, wherever it stands', () => {
  const place = folder({ 'manifest.yaml': HEAD + tool('input_schema_ref: in.json') });
  symlinkSync('/etc/passwd', join(place, 'in.json'));
  expect(readPackage(place)).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^in\.json: it is a link/u) as string,
  });
});

it('a package has every file in its digest, and its copy is what was read', () => {
  const files = { 'manifest.yaml': HEAD + tool(), 'workers/a/main.mjs': '1', 'README.md': 'x' };
  const digestOf = (more: object = {}): string => {
    const read = readPackage(folder({ ...files, ...more }));
    return read.ok ? read.read.digest : expect.fail(read.problem);
  };
  expect(digestOf()).toBe(digestOf());
  expect(new Set([digestOf(), digestOf({ 'README.md': 'y' }), digestOf({ 'workers/a/b': '' })]).size).toBe(3);
  const read = readPackage(folder(files));
  if (!read.ok) expect.fail(read.problem);
  const within = folder({});
  const copy = keepPackage(read.read, within);
  expect(readPackage(copy)).toMatchObject({ ok: true, read: { digest: read.read.digest } });
  rmSync(join(copy, 'README.md'), { force: true });
  expect(keepPackage(read.read, within), 'half a copy is made anew').toBe(copy);
  expect(readPackage(copy)).toMatchObject({ ok: true, read: { digest: read.read.digest } });
});

it('a worker reaches its own list within the policies’, where there is one', () => {
  const own = { egress: ['a.example:443', 'b.example:443'] };
  expect(resolveEgress(own, { egress: null })).toEqual(own.egress);
  // Of two lists that have nothing in common nothing is left.
  expect(resolveEgress(own, { egress: [] })).toEqual([]);
  expect(resolveEgress(own, { egress: ['B.example:443', 'c.example:1'] })).toEqual(['b.example:443']);
  const narrowed = (of: string, ...by: readonly string[]) => resolveEgress({ egress: [of] }, { egress: by });
  expect(narrowed('api.example.com:443', '*.example.com:443')).toEqual(['api.example.com:443']);
  expect(narrowed('*.eu.example.com:443', '*.example.com:443')).toEqual(['*.eu.example.com:443']);
  expect(narrowed('*.example.com:443', 'api.example.com:443', 'example.com:443', 'other.org:443')).toEqual([
    'api.example.com:443',
  ]);
  expect(narrowed('*.example.com:443', '*.example.com:443')).toEqual(['*.example.com:443']);
  for (const by of ['*.example.com:80', '*.le.com:443', 'example.com:443', '*.api.example.com:443'])
    expect(narrowed('api.example.com:443', by), by).toEqual([]);
});

/**
 * The package of these files: its digests decide whether a person’s rules for a tool go on, and whether two tools share
 * a worker.
 */
function packageOf(files: Readonly<Record<string, string>>) {
  const read = readPackage(folder(files));
  const taken = read.ok ? readDomainPackage(read.read, []) : expect.fail(read.problem);
  return taken.ok ? taken.package : expect.fail(taken.problems.join('; '));
}

it('a tool is another one by its entry, its schemas and what its worker is made of, and by nothing else', () => {
  const files = {
    'manifest.yaml':
      HEAD + tool('input_schema_ref: in.json', 'output_schema_ref: out.json', 'worker: {build: workers/a}'),
    'in.json': '{"type":"object"}',
    'out.json': '{"type":"object"}',
    'workers/a/Containerfile': 'FROM scratch',
    'workers/b/x': '',
    'policies.yaml': '',
  };
  const digestWith = (more: object): string => packageOf({ ...files, ...more }).tools[0]?.digest ?? '';
  const before = digestWith({});
  for (const more of [
    { 'manifest.yaml': files['manifest.yaml'].replace('60', '61') },
    { 'in.json': '{"type":"object","title":"x"}' },
    { 'out.json': '{"type":"object","title":"x"}' },
    { 'workers/a/Containerfile': 'FROM x' },
  ])
    expect(digestWith(more), JSON.stringify(more)).not.toBe(before);
  for (const more of [{ 'workers/b/x': 'y' }, { 'policies.yaml': 'default_timeout_sec: 3' }])
    expect(digestWith(more), JSON.stringify(more)).toBe(before);
  // Of a program everything may be loaded by it, but not what says what tools are.
  const program = { ...files, 'manifest.yaml': HEAD + tool('worker: {command: [node, workers/b/x]}') };
  const programWith = (more: object): string => packageOf({ ...program, ...more }).tools[0]?.digest ?? '';
  expect(programWith({ 'in.json': '1' })).not.toBe(programWith({}));
  const another = tool('worker: {command: [node, workers/b/x]}').replace('firecrawl.crawl', 'firecrawl.other');
  expect(programWith({ 'manifest.yaml': program['manifest.yaml'] + another })).toBe(programWith({}));
});

it('a version stands for all but the policies', () => {
  const files = { 'manifest.yaml': HEAD + tool(), 'README.md': '' };
  const { versionDigest, digest } = packageOf(files);
  const withPolicies = packageOf({ ...files, 'policies.yaml': 'default_timeout_sec: 3' });
  expect(withPolicies.versionDigest).toBe(versionDigest);
  expect(withPolicies.digest).not.toBe(digest);
  expect(packageOf({ ...files, 'README.md': 'x' }).versionDigest).not.toBe(versionDigest);
});

it('tools share a worker that is held alike in everything, and no other', () => {
  const entry = (id: string, more: string): string =>
    `  - {tool_id: a.${id}, kind: service_worker, worker: {image: x${more.includes('gvisor') ? ', isolation: gvisor' : ''}}, ${more.replace('gvisor', '')}}\n`;
  const { tools } = packageOf({
    'manifest.yaml':
      HEAD +
      entry('one', 'secrets: [A, B], egress_allowlist: ["x.example:1", "y.example:1"]') +
      entry('same', 'secrets: [B, A], egress_allowlist: ["y.example:1", "x.example:1"]') +
      entry('secret', 'secrets: [A], egress_allowlist: ["x.example:1", "y.example:1"]') +
      entry('egress', 'secrets: [A, B], egress_allowlist: ["x.example:1"]') +
      entry('gvisor', 'gvisor secrets: [A, B], egress_allowlist: ["x.example:1", "y.example:1"]'),
  });
  const keyOf = new Map(tools.map(({ id, worker }) => [id, worker?.key]));
  expect(keyOf.get('a.same')).toBe(keyOf.get('a.one'));
  expect(new Set(keyOf.values()).size).toBe(4);
});

it('a tool’s service may be given by an IP address, with or without a port', () => {
  for (const address of ['[2001:db8::1]:8080', '203.0.113.7', '127.0.0.1:8080'])
    expect(problemsOf({ 'manifest.yaml': HEAD + tool().replace('tool-firecrawl:8080', address) })).toEqual([]);
});

it('a tool with a worker is asked there, whatever address stands beside it', () => {
  expect(packageOf({ 'manifest.yaml': HEAD + tool('worker: {image: x}') }).tools[0]).toMatchObject({
    baseUrl: null,
    worker: { runs: { kind: 'image', image: 'x', port: 8080 } },
  });
});

it('policies are read however many comments stand before them, and however their lines end', () => {
  const text = `${'# x\r\n'.repeat(500)}concurrency: {global: 3}\r\n`;
  expect(packageOf({ 'manifest.yaml': HEAD + tool(), 'policies.yaml': text }).policies.global).toBe(3);
});

it.each(['', '\n', '# concurrency:\n#   global: 1\n\n', '  \r\n# x'])(
  'policies that say nothing are none: %j',
  (text) => {
    expect(packageOf({ 'manifest.yaml': HEAD + tool(), 'policies.yaml': text }).policies.global).toBe(8);
  },
);
