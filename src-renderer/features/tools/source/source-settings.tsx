import type { ReactNode } from 'react';
import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { Facts } from '../../../ui/layout/page.js';
import { Mono } from '../../../ui/text/code-block.js';
import { formatDuration } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { describeStart } from '../describe-start.js';

/** How a source is set, in words; what was left out as it is meant then. */
export function SourceSettingsFacts({ settings }: { readonly settings: SourceSettings }) {
  const all = { ...SOURCE_DEFAULTS, ...settings };
  const isLocal = settings.command !== undefined;
  const named = (table: Readonly<Record<string, string>>): ReactNode =>
    Object.entries(table).map(([name, value]) => (
      <div key={name}>
        <Mono>
          <Visible text={`${name}: ${value}`} />
        </Mono>
      </div>
    ));
  const facts: readonly (readonly [string, ReactNode] | null)[] = [
    [
      isLocal ? 'Command' : settings.url === undefined ? 'File' : 'Address',
      <Mono key="start">
        <Visible text={describeStart(settings)} />
      </Mono>,
    ],
    settings.cwd === undefined ? null : ['Folder', <Mono key="cwd">{settings.cwd}</Mono>],
    settings.base_url === undefined ? null : ['Sends to', <Mono key="base">{settings.base_url}</Mono>],
    Object.keys(all.env).length === 0 ? null : ['Variables', named(all.env)],
    Object.keys(all.headers).length === 0 ? null : ['Headers', named(all.headers)],
    Object.keys(all.credentials).length === 0 ? null : ['Keys', named(all.credentials)],
    isLocal
      ? ['Network', all.network.length === 0 ? 'None' : all.network.includes('*') ? 'Any host' : all.network.join(', ')]
      : null,
    isLocal ? ['Open folder', { none: 'No access', read: 'Reads it', write: 'Changes it' }[all.filesystem]] : null,
    ['New tools', all.definitions === 'ask' ? 'You accept them' : 'Those seen first are accepted'],
    [
      'Calls',
      all.approval === 'ask' ? 'Ask, unless a rule covers them' : 'Those that only read, as it says, don’t ask',
    ],
    ['Time limit', formatDuration(all.timeout_seconds * 1000)],
    settings.kind === 'mcp' ? ['Started', all.start === 'with-app' ? 'With Gatehouse' : 'When needed'] : null,
    all.include.length === 1 && all.include[0] === '*' ? null : ['Only', all.include.join(', ')],
    all.exclude.length === 0 ? null : ['Without', all.exclude.join(', ')],
  ];
  return <Facts facts={facts.filter((fact) => fact !== null)} />;
}
