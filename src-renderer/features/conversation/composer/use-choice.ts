import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { FoundPrompt, FoundResource } from '#contract/window/conversation/offered-texts.js';
import { usePausedRequest } from '../../../bridge/use-paused-request.js';
import { live } from '../../../store/app.js';
import { type TypedWord, findTypedWord } from './typed-word.js';

export type ComposerOption =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'resource'; readonly resource: FoundResource }
  | { readonly kind: 'prompt'; readonly prompt: FoundPrompt };

export interface ComposerChoice {
  /** Null where nothing is being completed. */
  readonly word: TypedWord | null;
  readonly found: readonly ComposerOption[];
  readonly chosen: number;
  readonly listId: string;
  readonly loading: boolean;
  /** Why something is missing, a sentence each. */
  readonly problems: readonly string[];
  readonly onCaret: (text: string, caret: number) => void;
  /** True where the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly close: () => void;
}

/**
 * Files of the folder and resources of sources by what is typed after “@”, prompts by what is typed after “/”: the field keeps the
 * focus, the list follows its keys. Files are there at once, whatever servers do.
 */
export function useChoice(folder: string, onChoose: (word: TypedWord, option: ComposerOption) => void): ComposerChoice {
  const [word, setWord] = useState<TypedWord | null>(null);
  const [at, setAt] = useState(0);
  /** Put away by Escape until another word is begun. */
  const [away, setAway] = useState<number | null>(null);
  const listId = useId();
  const shown = word !== null && word.from !== away ? word : null;
  const request = shown === null ? null : { workspace: folder, query: shown.query };
  const files = usePausedRequest('conversations.findFiles', shown?.mark === '@' ? request : null);
  const shelves = usePausedRequest('conversations.findOnShelves', request);
  const { reload } = shelves;
  const isAsked = request !== null;
  // A server that was slow has answered by now, or one that was starting runs.
  useEffect(() => (isAsked ? live.on('sources-changed', reload) : undefined), [isAsked, reload]);
  const found = shown === null ? [] : listOptions(shown.mark, files.value, shelves.value);
  const chosen = Math.min(at, found.length - 1);
  const close = () => setWord(null);
  return {
    word: shown,
    found,
    chosen,
    listId,
    loading: files.loading || shelves.loading,
    problems: [
      ...[files.error, shelves.error].flatMap((each) => each?.message ?? []),
      ...(shelves.value?.problems ?? []),
    ],
    close,
    onCaret: (text, caret) => {
      const next = findTypedWord(text, caret);
      setWord(next);
      setAt(0);
      if (next === null) setAway(null);
    },
    onKey: (event) => {
      if (shown === null || event.nativeEvent.isComposing) return false;
      const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
      const option = found[chosen];
      if (to !== undefined && found.length > 0) setAt((to + found.length) % found.length);
      else if (event.key === 'Escape') setAway(shown.from);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && option !== undefined) {
        onChoose(shown, option);
        close();
      } else return false;
      event.preventDefault();
      return true;
    },
  };
}

/** Files are first and stay where they are when resources come. */
function listOptions(
  mark: TypedWord['mark'],
  files: readonly string[] | null,
  shelves: {
    readonly resources: readonly FoundResource[];
    readonly prompts: readonly FoundPrompt[];
  } | null,
): readonly ComposerOption[] {
  if (mark === '/') return (shelves?.prompts ?? []).map((prompt) => ({ kind: 'prompt', prompt }));
  return [
    ...(files ?? []).map((path) => ({ kind: 'file', path }) as const),
    ...(shelves?.resources ?? []).map((resource) => ({ kind: 'resource', resource }) as const),
  ];
}
