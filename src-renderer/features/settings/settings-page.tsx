import { FileText } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { SettingsView, SettingView } from '#contract/window/settings.js';
import { ask } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { counted } from '../../ui/text/format.js';
import { Menu, MenuItem } from '../../ui/overlay/menu.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { TextField } from '../../ui/form/text-field.js';
import { AppearanceSection } from './appearance-section.js';
import { GatewaySwitch } from './gateway-switch.js';
import { SecretsSection } from './secrets-section.js';
import { SettingRow } from './setting-row.js';
import { groupName, matches } from './setting-values.js';
import './settings.css';

export function SettingsPage({ connect }: { readonly connect: ReactNode }) {
  const { value: view, error, reload, set } = useCurrent('settings.get', {});
  const [words, setWords] = useState('');
  useScrollToAnchor(view !== null);

  const found = (view?.settings ?? []).filter((setting) => matches(setting, words));
  const searching = words.trim() !== '';
  return (
    <Page
      title="Settings"
      about={view === null ? undefined : <Files view={view} />}
      actions={view === null ? undefined : <OpenFileMenu view={view} />}
    >
      <div className="gh-settings">
        {view === null || view.problem === null ? null : <FileProblem problem={view.problem} />}
        <TextField
          type="search"
          label="Search settings"
          labelHidden
          placeholder="Search settings"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {searching ? null : <AppearanceSection />}
        {error === null ? null : <Problem title="The settings can’t be read" error={error} onRetry={reload} />}
        {view === null && error === null ? <Skeleton label="Reading the settings" lines={8} /> : null}
        {searching && view !== null && found.length === 0 ? (
          <EmptyState title="No setting matches" actions={<Button onClick={() => setWords('')}>Show all</Button>} />
        ) : null}
        {[...grouped(found)].map(([group, settings]) => (
          <Group
            key={group}
            group={group}
            settings={settings}
            searching={searching}
            onChanged={set}
            connect={connect}
          />
        ))}
        {view === null || searching ? null : <SecretsSection secrets={view.secrets} onChanged={set} />}
      </div>
    </Page>
  );
}

interface GroupProps {
  readonly group: string;
  readonly settings: readonly SettingView[];
  readonly searching: boolean;
  readonly connect: ReactNode;
  readonly onChanged: (view: SettingsView) => void;
}

function Group({ group, settings, searching, connect, onChanged }: GroupProps) {
  const id = `settings-${group}`;
  const gateway = group === 'gateway' && !searching;
  // The gateway's switch is this setting, with what it leads to.
  const rows = gateway ? settings.filter((setting) => setting.key !== 'gateway.enabled') : settings;
  return (
    <section className="gh-settings-group" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{groupName(group)}</h2>
      {gateway ? <GatewaySwitch connect={connect} /> : null}
      {rows.map((setting) => (
        <SettingRow key={setting.key} setting={setting} onChanged={onChanged} />
      ))}
    </section>
  );
}

function grouped(settings: readonly SettingView[]): Map<string, SettingView[]> {
  const groups = new Map<string, SettingView[]>();
  for (const setting of settings) {
    const group = groups.get(setting.group) ?? [];
    groups.set(setting.group, [...group, setting]);
  }
  return groups;
}

function Files({ view }: { readonly view: SettingsView }) {
  const tightened = view.settings.filter((setting) => setting.source === 'workspace').length;
  return (
    <>
      What you set is kept in <Mono>{view.file}</Mono>, with your comments.
      {tightened === 0 || view.workspaceFile === null ? null : (
        <>
          {' '}
          This workspace tightens {counted(tightened, 'setting')} in <Mono>{view.workspaceFile}</Mono>.
        </>
      )}
    </>
  );
}

function OpenFileMenu({ view }: { readonly view: SettingsView }) {
  const open = (which: 'person' | 'workspace' | 'logs') => void ask('settings.openFile', { which });
  return (
    <Menu align="end" trigger={<Button icon={<FileText aria-hidden />}>Open files</Button>}>
      <MenuItem onSelect={() => open('person')}>Your settings</MenuItem>
      <MenuItem disabled={view.workspaceFile === null} onSelect={() => open('workspace')}>
        This workspace’s settings
      </MenuItem>
      <MenuItem onSelect={() => open('logs')}>Logs</MenuItem>
    </Menu>
  );
}

function FileProblem({ problem }: { readonly problem: NonNullable<SettingsView['problem']> }) {
  return (
    <NoticeBox severity="error" title="A settings file can’t be used">
      <Mono>{problem.file}</Mono>
      {problem.line === null ? '' : `, line ${problem.line}`}: {problem.reason} Until it is mended, the last good
      settings hold.
    </NoticeBox>
  );
}

/** Brings what another part of the window spoke of into sight. */
function useScrollToAnchor(ready: boolean): void {
  const anchor = useApp((state) => state.anchor);
  useEffect(() => {
    if (!ready || anchor === null) return;
    const target =
      document.querySelector(`[data-key="${CSS.escape(anchor)}"]`) ?? document.getElementById(`settings-${anchor}`);
    target?.scrollIntoView({ block: 'start' });
  }, [ready, anchor]);
}
