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
import { HooksSection } from './hooks/hooks-section.js';
import { ModelSection } from './model-section.js';
import { ThemeSetting } from './theme-setting.js';
import { KeysSection } from './keys-section.js';
import { SettingRow } from './setting-row.js';
import { matches } from './setting-values.js';
import { OTHER_SECTIONS, matchesWords, type SectionId, SECTIONS, SETTING_LABELS } from './setting-labels.js';
import './settings.css';

interface SettingsPageProps {
  readonly gatewaySwitch: ReactNode;
  readonly howItAsks: ReactNode;
}

export function SettingsPage({ gatewaySwitch, howItAsks }: SettingsPageProps) {
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
        {error === null ? null : <Problem title="The settings can’t be loaded" error={error} onRetry={reload} />}
        {view === null && error === null ? <Skeleton label="Loading the settings" lines={8} /> : null}
        {searching && view !== null && found.length === 0 && !isOtherSection(words) ? (
          <EmptyState title="No matching settings" actions={<Button onClick={() => setWords('')}>Show all</Button>} />
        ) : null}
        {(Object.keys(SECTIONS) as SectionId[]).map((id) => (
          <Section
            key={id}
            id={id}
            settings={found.filter(({ key }) => SETTING_LABELS[key]?.section === id)}
            searching={searching}
            onChanged={set}
            gatewaySwitch={gatewaySwitch}
            first={id === 'asking' && view !== null && isOtherSection(words, 'asking') ? howItAsks : null}
            more={
              view === null || !hasMore(id, words) ? null : <SectionExtras {...{ id, view, words }} onChanged={set} />
            }
          />
        ))}
      </div>
    </Page>
  );
}

interface SectionProps {
  readonly id: SectionId;
  readonly settings: readonly SettingView[];
  readonly searching: boolean;
  readonly gatewaySwitch: ReactNode;
  /** Content before its settings, and after them. */
  readonly first: ReactNode;
  readonly more: ReactNode;
  readonly onChanged: (view: SettingsView) => void;
}

function Section({ id, settings, searching, gatewaySwitch, first, more, onChanged }: SectionProps) {
  if (settings.length === 0 && first === null && more === null) return null;
  // Hooks are more than a value, and change in the file.
  if (id === 'hooks') return <HooksSection />;
  const gateway = id === 'agents' && !searching;
  const order = Object.keys(SETTING_LABELS);
  const sorted = [...settings].sort((one, other) => order.indexOf(one.key) - order.indexOf(other.key));
  return (
    <section className="gh-settings-group" id={`settings-${id}`} aria-labelledby={`settings-${id}-title`}>
      <h2 id={`settings-${id}-title`}>{SECTIONS[id]}</h2>
      {first}
      {gateway ? gatewaySwitch : null}
      {sorted.map((setting) => {
        const words = SETTING_LABELS[setting.key];
        // The gateway's switch is this setting, and says what came of it.
        return words === null || (gateway && setting.key === 'gateway.enabled') ? null : (
          <SettingRow key={setting.key} setting={setting} words={words} onChanged={onChanged} />
        );
      })}
      {more}
    </section>
  );
}

type OtherSection = keyof typeof OTHER_SECTIONS;

/** Whether what is looked for is one of these that are no settings of the file; all are where nothing is looked for. */
const isOtherSection = (words: string, ...which: readonly OtherSection[]): boolean =>
  (which.length === 0 ? (Object.keys(OTHER_SECTIONS) as OtherSection[]) : which).some((each) =>
    matchesWords(OTHER_SECTIONS[each], words),
  );

const hasMore = (id: SectionId, words: string): boolean =>
  (id === 'model' && words.trim() === '') ||
  (id === 'app' && isOtherSection(words, 'theme', 'notifications', 'secrets'));

interface SectionExtrasProps {
  readonly id: SectionId;
  readonly view: SettingsView;
  readonly words: string;
  readonly onChanged: (view: SettingsView) => void;
}

function SectionExtras({ id, view, words, onChanged }: SectionExtrasProps) {
  if (id === 'model') return <ModelSection view={view} onChanged={onChanged} />;
  return (
    <>
      {isOtherSection(words, 'theme') ? <ThemeSetting /> : null}
      {isOtherSection(words, 'notifications') ? <Notifications /> : null}
      {isOtherSection(words, 'secrets') ? <KeysSection secrets={view.secrets} onChanged={onChanged} /> : null}
    </>
  );
}

/** A note on notifications: nothing is set here, and it says where that is. */
function Notifications() {
  return (
    <div className="gh-setting">
      <div className="gh-setting-about">
        <span className="gh-setting-name">Notifications</span>
        <p>
          You get one when a call waits for you and you look elsewhere. Your system’s settings turn them on and off.
        </p>
      </div>
    </div>
  );
}

function Files({ view }: { readonly view: SettingsView }) {
  const tightened = view.settings.filter((setting) => setting.source === 'workspace').length;
  return (
    <>
      Saved in <Mono>{view.file}</Mono>; your comments are kept.
      {tightened === 0 || view.workspaceFile === null ? null : (
        <>
          {' '}
          This folder tightens {counted(tightened, 'setting')} in <Mono>{view.workspaceFile}</Mono>.
        </>
      )}
    </>
  );
}

function OpenFileMenu({ view }: { readonly view: SettingsView }) {
  const open = (which: 'person' | 'workspace' | 'logs') => void ask('settings.openFile', { which });
  return (
    <Menu align="end" trigger={<Button icon={<FileText aria-hidden />}>Open config file</Button>}>
      <MenuItem onSelect={() => open('person')}>Your settings</MenuItem>
      <MenuItem disabled={view.workspaceFile === null} onSelect={() => open('workspace')}>
        This folder’s settings
      </MenuItem>
      <MenuItem onSelect={() => open('logs')}>Logs</MenuItem>
    </Menu>
  );
}

function FileProblem({ problem }: { readonly problem: NonNullable<SettingsView['problem']> }) {
  return (
    <NoticeBox severity="error" title="A settings file can’t be used">
      <Mono>{problem.file}</Mono>
      {problem.line === null ? '' : `, line ${problem.line}`}: {problem.reason} The last good settings stay in force
      until it is fixed.
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
