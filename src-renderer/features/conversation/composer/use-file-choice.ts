import { type KeyboardEvent, useId, useState } from 'react';
import { usePausedRequest } from '../../../bridge/use-paused-request.js';
import { type FileWord, fileWordAt } from './file-word.js';

export interface FileChoice {
  /** Null where nothing is being completed. */
  readonly word: FileWord | null;
  readonly found: readonly string[];
  readonly chosen: number;
  readonly listId: string;
  readonly loading: boolean;
  readonly problem: string | null;
  readonly onCaret: (text: string, caret: number) => void;
  /** True where the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
  readonly close: () => void;
}

/** Files of the folder by what is typed after “@”: the field keeps the focus, the list follows its keys. */
export function useFileChoice(folder: string, onChoose: (word: FileWord, path: string) => void): FileChoice {
  const [word, setWord] = useState<FileWord | null>(null);
  const [at, setAt] = useState(0);
  /** Put away by Escape until another word is begun. */
  const [away, setAway] = useState<number | null>(null);
  const listId = useId();
  const shown = word !== null && word.from !== away ? word : null;
  const answer = usePausedRequest(
    'conversations.findFiles',
    shown === null ? null : { workspace: folder, query: shown.query },
  );
  const found = answer.value ?? [];
  const chosen = Math.min(at, found.length - 1);
  const close = () => setWord(null);
  return {
    word: shown,
    found,
    chosen,
    listId,
    loading: answer.loading,
    problem: answer.error?.message ?? null,
    close,
    onCaret: (text, caret) => {
      const next = fileWordAt(text, caret);
      setWord(next);
      setAt(0);
      if (next === null) setAway(null);
    },
    onKey: (event) => {
      if (shown === null || event.nativeEvent.isComposing) return false;
      const to = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
      const path = found[chosen];
      if (to !== undefined && found.length > 0) setAt((to + found.length) % found.length);
      else if (event.key === 'Escape') setAway(shown.from);
      else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && path !== undefined) {
        onChoose(shown, path);
        close();
      } else return false;
      event.preventDefault();
      return true;
    },
  };
}
