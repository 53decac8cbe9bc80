import { MessageSquareDashed, PencilRuler, Plug, SendHorizontal, Square } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { createStore } from 'zustand/vanilla';
import { useStore } from 'zustand';
import { ask } from '../../bridge/use-request.js';
import { goTo, useApp, useAppShallow, useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Page } from '../../ui/layout/page.js';
import { TextArea } from '../../ui/form/text-field.js';
import { CallCardById } from '../../calls/card/call-card.js';
import { Visible } from '../../ui/text/visible.js';
import { readMessage } from './tool-line.js';
import { WaitingResults } from './waiting-results.js';
import './conversation.css';

/** What was typed outlives the page: looking something up must not lose a message. */
const draftStore = createStore<{ readonly text: string }>(() => ({ text: '' }));

interface Said {
  readonly severity: 'info' | 'error';
  readonly title: string;
  readonly text: string;
}

export function ConversationPage() {
  const waiting = useAppShallow(({ app }) =>
    app.calls.filter((call) => call.awaiting === 'result').map((call) => call.callId),
  );
  const calls = useAppShallow(({ app }) =>
    app.calls.filter((call) => call.door === 'conversation' && call.awaiting !== 'result').map((call) => call.callId),
  );
  return (
    <Page title="Conversation" fill>
      <div className="gh-conversation">
        <div className="gh-conversation-log" role="log" aria-label="Conversation" aria-live="polite">
          {waiting.length > 0 ? <WaitingResults callIds={waiting} /> : null}
          {calls.map((callId) => (
            <CallCardById key={callId} callId={callId} />
          ))}
          {waiting.length === 0 && calls.length === 0 ? <NoModel /> : null}
        </div>
        <Composer />
      </div>
    </Page>
  );
}

function NoModel() {
  const { mode } = useStatus();
  return (
    <EmptyState
      icon={<MessageSquareDashed />}
      title="No model is connected"
      actions={
        <>
          <Button tone="primary" icon={<PencilRuler aria-hidden />} onClick={() => goTo('compose')}>
            Compose calls yourself
          </Button>
          <Button icon={<Plug aria-hidden />} onClick={() => goTo('settings', 'gateway')}>
            Connect an agent
          </Button>
        </>
      }
    >
      {mode === 'parse_only'
        ? 'Calls of connected agents appear here and wait for the results that you give them. You can also build calls yourself.'
        : mode === 'disabled'
          ? 'Tools are switched off, so every call is refused. Settings turns them on.'
          : 'Agents that you connect over MCP ask through Gatehouse, and you decide. You can also build calls yourself, with no model at all.'}
    </EmptyState>
  );
}

function Composer() {
  const { text } = useStore(draftStore);
  const [said, setSaid] = useState<Said | null>(null);
  const [sending, setSending] = useState(false);
  const running = useAppShallow(({ app }) => [
    ...new Set(
      app.calls.filter((call) => call.door === 'conversation' && call.outcome === null).map((call) => call.batchId),
    ),
  ]);
  const parseOnly = useApp((state) => state.app.status.mode === 'parse_only');
  const setText = (next: string) => draftStore.setState({ text: next });

  const send = async () => {
    if (text.trim() === '' || sending) return;
    const line = readMessage(text);
    if (line.kind === 'wrong') {
      setSaid({ severity: 'error', title: 'Not sent', text: line.message });
      return;
    }
    if (line.kind === 'words') {
      setSaid({
        severity: 'info',
        title: 'Not sent: no model is connected',
        text: 'Your message stays in the box. Compose runs calls without a model; agents connect over MCP.',
      });
      return;
    }
    setSending(true);
    const answer = await ask('results.submit', { callId: line.callId, result: line.result });
    setSending(false);
    if (!answer.ok) {
      setSaid({ severity: 'error', title: 'The result was not taken', text: answer.error.message });
      return;
    }
    setText('');
    setSaid({ severity: 'info', title: 'Result submitted', text: `The call ${line.callId} has its result.` });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };

  return (
    <div className="gh-composer">
      {said === null ? null : (
        <NoticeBox severity={said.severity} title={said.title} onDismiss={() => setSaid(null)}>
          <Visible text={said.text} />
        </NoticeBox>
      )}
      <div className="gh-composer-row">
        <TextArea
          label="Message"
          labelHidden
          className="gh-composer-field"
          rows={2}
          placeholder={parseOnly ? 'Message, or /tool <call id> <result>' : 'Message'}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <span className="gh-composer-buttons">
          <Button
            tone="primary"
            icon={<SendHorizontal aria-hidden />}
            disabled={sending || text.trim() === ''}
            onClick={() => void send()}
          >
            Send
          </Button>
          <Button
            icon={<Square aria-hidden />}
            disabled={running.length === 0}
            onClick={() => {
              for (const batchId of running) void ask('batches.stop', { batchId });
            }}
          >
            Stop
          </Button>
        </span>
      </div>
    </div>
  );
}
