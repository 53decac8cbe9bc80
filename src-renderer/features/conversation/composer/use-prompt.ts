import { useRef, useState } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { PromptText } from '#contract/window/conversation/conversation.js';
import type { FoundPrompt } from '#contract/window/conversation/offered-texts.js';
import { ask } from '../../../bridge/use-request.js';
import { beginConversation, showConversation } from '../../../store/conversations.js';
import { moveDraft } from './drafts.js';

export interface PromptHandle {
  /** The one that is asked for its arguments, or waited for. */
  readonly prompt: FoundPrompt | null;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly choose: (prompt: FoundPrompt) => void;
  readonly use: (prompt: FoundPrompt, args: Readonly<Record<string, string>>) => Promise<void>;
  readonly cancel: () => void;
}

/** A prompt of a source: it is asked for its arguments, written by its source, and put where the person reads it. */
export function usePrompt(
  folder: string,
  conversation: ConversationSummary | null,
  onText: (id: string, said: PromptText, prompt: FoundPrompt) => void,
): PromptHandle {
  const [prompt, setPrompt] = useState<FoundPrompt | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const here = conversation?.id ?? null;
  /** The number of the request that counts: an answer after “Cancel” is not put anywhere. */
  const turn = useRef(0);

  const asked = async (wanted: FoundPrompt, args: Readonly<Record<string, string>>): Promise<string | null> => {
    const own = (turn.current += 1);
    let id = here;
    if (id === null) {
      const begun = await beginConversation(folder);
      if (!begun.ok) return begun.error.message;
      id = begun.value.id;
      moveDraft(folder, id);
      showConversation(folder, id);
    }
    const { source, name } = wanted;
    const answer = await ask('conversations.usePrompt', { id, source, name, args: { ...args } });
    if (own !== turn.current) return null;
    if (!answer.ok) return answer.error.message;
    onText(id, answer.value, wanted);
    return null;
  };
  const use: PromptHandle['use'] = async (wanted, args) => {
    setBusy(true);
    setProblem(null);
    const mine = turn.current + 1;
    const wrong = await asked(wanted, args);
    if (turn.current !== mine) return;
    setBusy(false);
    setProblem(wrong);
    if (wrong === null) setPrompt(null);
  };
  return {
    prompt,
    busy,
    problem,
    choose: (chosen) => {
      setProblem(null);
      setPrompt(chosen);
      if (chosen.args.length === 0) void use(chosen, {});
    },
    use,
    cancel: () => {
      turn.current += 1;
      setBusy(false);
      setPrompt(null);
      setProblem(null);
    },
  };
}
