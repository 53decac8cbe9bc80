import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeldProgramRequest } from '../../domain/ports/sources/held-program.js';
import type { PackageRequest, InstalledPackage } from '../../domain/ports/sources/packages.js';

/** Where its modules lie, what pip said of them, and what starts it. */
const SITE = 'site';
const REPORT = 'report.json';
const START = 'start.py';

const PIP: readonly string[] =
  '-m pip --isolated --no-cache-dir --disable-pip-version-check --no-input --quiet install --only-binary=:all: --no-compile --retries 1 --timeout 30'.split(
    ' ',
  );

type Installer = Pick<HeldProgramRequest, 'command' | 'args' | 'environment'> & { readonly hosts: readonly string[] };

/**
 * The installer of Python packages: the person's own pip, held, reaching the index and nothing else. Built packages
 * alone, so that nothing of any package is run for it.
 */
export function pipInstall(folder: string, { spec }: PackageRequest, index: string): Installer {
  mkdirSync(join(folder, SITE), { mode: 0o700 });
  const url = new URL(index);
  const files = url.hostname === 'pypi.org' ? ['files.pythonhosted.org'] : [];
  return {
    command: 'python3',
    args: PIP.concat([
      '--index-url',
      index,
      '--target',
      join(folder, SITE),
      '--report',
      join(folder, REPORT),
      '--',
      spec,
    ]),
    environment: { PYTHONDONTWRITEBYTECODE: '1' },
    hosts: [url.port === '' ? url.hostname : url.host, ...files],
  };
}

/** Written once, by us: what the package says of its program leads to one function of one module, and no further. */
export function writePythonStart(folder: string, asked: PackageRequest): void {
  const { name, version } = installedOf(folder, asked);
  const chosen = asked.program ?? name;
  const programs = consoleScripts(folder, name, version);
  const target =
    programs.get(chosen) ?? (asked.program === null && programs.size === 1 ? [...programs.values()][0] : null);
  const [, module, called] = /^([A-Za-z_][\w.]*)\s*:\s*([A-Za-z_][\w.]*)(?:\s*\[.*\])?$/u.exec(target ?? '') ?? [];
  if (module === undefined || called === undefined)
    throw new Error(`${name} has no program ${chosen}; it has: ${[...programs.keys()].join(', ') || 'none'}.`);
  const path = join(folder, START);
  writeFileSync(
    path,
    `#!/usr/bin/env -S python3 -I
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ${JSON.stringify(SITE)}))
from importlib import import_module
found = import_module(${JSON.stringify(module)})
for part in ${JSON.stringify(called)}.split('.'):
    found = getattr(found, part)
sys.exit(found())
`,
  );
  chmodSync(path, 0o755);
}

export function readPythonPackage(folder: string, asked: PackageRequest): InstalledPackage {
  const { name, version, integrity, all } = installedOf(folder, asked);
  return {
    name,
    version,
    integrity,
    digest: createHash('sha256')
      .update([...all, readFileSync(join(folder, START), 'utf8')].join('\n'))
      .digest('hex'),
    path: join(folder, START),
    folder,
  };
}

interface Reported {
  readonly metadata?: { readonly name?: string; readonly version?: string };
  readonly download_info?: { readonly archive_info?: { readonly hashes?: { readonly sha256?: string } } };
}

/** Reads pip's own report of what it fetched. */
function installedOf(folder: string, { spec }: PackageRequest) {
  const { install = [] } = JSON.parse(readFileSync(join(folder, REPORT), 'utf8')) as { install?: readonly Reported[] };
  const read = install.map(({ metadata, download_info: from }) => ({
    name: canonical(metadata?.name ?? ''),
    version: metadata?.version ?? '',
    integrity: `sha256-${Buffer.from(from?.archive_info?.hashes?.sha256 ?? '', 'hex').toString('base64')}`,
  }));
  const wanted = canonical(/^[\w.-]+/u.exec(spec)?.[0] ?? '');
  const own = read.find(({ name }) => name === wanted);
  if (own === undefined || own.version === '' || own.integrity === 'sha256-')
    throw new Error(`pip did not say what it fetched of ${wanted}.`);
  return { ...own, all: read.map((each) => `${each.name} ${each.version} ${each.integrity}`).toSorted() };
}

/** Names of packages are written in several ways, and are one. */
const canonical = (name: string): string => name.toLowerCase().replace(/[-_.]+/gu, '-');

function consoleScripts(folder: string, name: string, version: string): ReadonlyMap<string, string> {
  const info = `${name.replaceAll('-', '_')}-${version}.dist-info`;
  let text: string;
  try {
    text = readFileSync(join(folder, SITE, info, 'entry_points.txt'), 'utf8');
  } catch {
    return new Map();
  }
  const programs = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/u)) {
    section = /^\s*\[(.+)\]\s*$/u.exec(line)?.[1] ?? section;
    const [, program, target] = /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/u.exec(line) ?? [];
    if (section === 'console_scripts' && program !== undefined && target !== undefined) programs.set(program, target);
  }
  return programs;
}
