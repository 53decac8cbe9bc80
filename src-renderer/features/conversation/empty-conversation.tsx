import { MessageSquare, MessageSquareDashed, Plug, Settings } from 'lucide-react';
import type { ModelOffers } from '#contract/window/conversation/conversation.js';
import { goTo, useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { Visible } from '../../ui/text/visible.js';
import { TryDemo } from './try-demo.js';

export interface EmptyConversationProps {
  readonly offered: ModelOffers | null;
  /** The model that can answer here; null where none can. */
  readonly model: string | null;
}

/** A hint on an empty conversation: what comes here, and how to get it. */
export function EmptyConversation({ offered, model }: EmptyConversationProps) {
  const { mode } = useStatus();
  if (model !== null)
    return (
      <EmptyState icon={<MessageSquare />} title="What should be done?">
        <Visible text={model} /> answers here, and may request tool calls in this folder.{' '}
        {mode === 'disabled'
          ? 'Tools are turned off, so it can only talk.'
          : mode === 'parse_only'
            ? 'Nothing runs in this mode: you give each result.'
            : 'You review what changes anything before it happens.'}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<MessageSquareDashed />}
      title="No model is connected"
      actions={
        <>
          <Button tone="primary" icon={<Settings aria-hidden />} onClick={() => goTo('settings', 'model')}>
            Connect a model
          </Button>
          <Button icon={<Plug aria-hidden />} onClick={() => goTo('agents', 'connect')}>
            Connect an agent
          </Button>
          <TryDemo />
        </>
      }
    >
      {mode === 'parse_only'
        ? 'Calls from connected agents appear here and wait for your results. With a model in Settings, you can also talk to it here.'
        : mode === 'disabled'
          ? 'Tools are turned off, so every call is refused. Turn them on in Settings.'
          : 'Set a model in Settings to talk to it here. Agents connected over MCP work without one.'}
      {offered?.problem === null || offered === null ? null : (
        <p>
          <Visible text={offered.problem} />
        </p>
      )}
    </EmptyState>
  );
}
