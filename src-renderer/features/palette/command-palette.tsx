import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { goTo, openCall, showSheet, useApp } from '../../store/app.js';
import { goToConversation, useConversations } from '../../store/conversations.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Visible } from '../../ui/text/visible.js';
import {
  type PaletteAction,
  type PaletteHandlers,
  listActions,
  findActions,
  listPausableAgents,
  type SettingFound,
} from './actions.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { usePaletteKeys } from './use-palette-keys.js';
import './palette.css';

/** Everything by its name, from anywhere: Ctrl+K. Beside it the keys there are: “?”. */
export function CommandPalette({ settings }: { readonly settings: readonly SettingFound[] }) {
  const [shown, setShown] = useState<'palette' | 'shortcuts' | null>(null);
  usePaletteKeys(setShown);
  const close = () => setShown(null);
  return (
    <>
      <Dialog open={shown === 'palette'} size="medium" title="Go to or do" className="gh-palette" onDismiss={close}>
        {shown === 'palette' ? (
          <Choice settings={settings} onClose={close} onShortcuts={() => setShown('shortcuts')} />
        ) : null}
      </Dialog>
      <ShortcutsDialog open={shown === 'shortcuts'} onClose={close} />
    </>
  );
}

interface ChoiceProps {
  readonly settings: readonly SettingFound[];
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

function Choice({ settings, onClose, onShortcuts }: ChoiceProps) {
  const id = useId();
  const app = useApp((state) => state.app);
  const folder = app.workspace?.path ?? '';
  const { all: conversations } = useConversations(folder);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const current = useRef<HTMLDivElement>(null);
  useEffect(() => input.current?.focus(), []);

  const found = useMemo(() => {
    const acts: PaletteHandlers = {
      goTo,
      openCall,
      showSheet,
      chooseFolder: () => void ask('workspace.choose', {}),
      showFolder: (path) => void ask('workspace.show', { path }),
      openFolder: (path) => void ask('workspace.open', { path }),
      stop: (callIds) => {
        for (const callId of callIds) void ask('calls.stop', { callId });
      },
      pause: (agents) => {
        for (const who of agents) void ask('agents.pause', who);
      },
      resume: (agents) => {
        for (const who of agents) void ask('agents.resume', who);
      },
      showShortcuts: onShortcuts,
      showConversation: (conversation) => goToConversation(folder, conversation),
      stopConversation: (conversation) => void ask('conversations.stop', { id: conversation }),
    };
    const things = {
      agents: listPausableAgents(app.status),
      calls: app.calls,
      folders: app.workspaces,
      recent: app.recentWorkspaces,
      waiting: app.approvals,
      settings,
      conversations: conversations ?? [],
      working: app.working.filter(({ doing }) => doing.kind !== 'idle').map((each) => each.id),
    };
    return findActions(listActions(things, acts), typed, openCall);
  }, [app, conversations, folder, settings, typed, onShortcuts]);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
    // The chosen option is another element each time.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [chosen, typed]);

  const choose = (action: PaletteAction) => {
    onClose();
    action.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, PageDown: chosen + 8, PageUp: chosen - 8 }[event.key];
    const picked = found[chosen];
    if (to !== undefined) setAt(Math.max(0, Math.min(found.length - 1, to)));
    else if (event.key === 'Enter' && picked !== undefined && !event.nativeEvent.isComposing) choose(picked);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <input
        ref={input}
        type="text"
        className="gh-input"
        role="combobox"
        aria-label="Find a place, setting, call or action"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        {...(chosen >= 0 ? { 'aria-activedescendant': `${id}-${chosen}` } : {})}
        placeholder="Find a place, setting, call or action"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select can't hold what stands in its options */}
      <div id={`${id}-list`} className="gh-palette-list" role="listbox" aria-label="Found" tabIndex={-1}>
        {found.map((action, index) => (
          // The field has the keys; the mouse may choose here too.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={action.id}
            id={`${id}-${index}`}
            ref={index === chosen ? current : null}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            className={index === chosen ? 'gh-palette-one gh-palette-chosen' : 'gh-palette-one'}
            onClick={() => choose(action)}
          >
            <span className="gh-palette-label">
              <Visible text={action.label} />
            </span>
            <span className="secondary gh-palette-about">
              <Visible text={action.about === null ? action.group : `${action.group} · ${action.about}`} />
            </span>
          </div>
        ))}
      </div>
      <output className={found.length === 0 ? 'secondary' : 'sr-only'}>
        {found.length === 0 ? 'Nothing found. Try fewer words.' : `${found.length} found`}
      </output>
    </>
  );
}
