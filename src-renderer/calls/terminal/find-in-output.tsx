import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { IconButton } from '../../ui/form/button.js';
import { TextField } from '../../ui/form/text-field.js';
import { formatCount } from '../../ui/text/format.js';

export interface OutputMatch {
  readonly line: number;
  readonly at: number;
}

export interface Hits {
  readonly places: readonly OutputMatch[];
  readonly current: OutputMatch | null;
  readonly length: number;
}

interface SearchResult {
  readonly query: string;
  readonly places: readonly OutputMatch[];
  readonly total: number;
}

interface FindInOutputProps {
  readonly callId: string;
  /** The line that the person is at. */
  readonly from: number;
  readonly onHits: (hits: Hits) => void;
}

const TYPING_MS = 200;

/** Finds words in an output: while they are typed the first from where the person is, and with Enter the next. */
export function FindInOutput({ callId, from, onHits }: FindInOutputProps) {
  const [query, setQuery] = useState('');
  const [said, setSaid] = useState('');
  const found = useRef<SearchResult | null>(null);
  const index = useRef(0);
  const typing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(typing.current), []);

  const show = (result: SearchResult, at: number): void => {
    index.current = at;
    setSaid(result.total === 0 ? 'Not found' : `${formatCount(at + 1)} of ${formatCount(result.total)}`);
    onHits({ places: result.places, current: result.places[at] ?? null, length: result.query.length });
  };
  const search = async (words: string): Promise<void> => {
    clearTimeout(typing.current);
    if (words === '') {
      found.current = null;
      setSaid('');
      onHits({ places: [], current: null, length: 0 });
      return;
    }
    setSaid('Searching…');
    const asked: SearchResult = { query: words, places: [], total: 0 };
    found.current = asked;
    const answer = await ask('calls.searchOutput', { callId, query: words, fromLine: 0 });
    // A later search counts instead.
    if (found.current !== asked) return;
    if (!answer.ok) {
      setSaid(answer.error.message);
      return;
    }
    const { places, total } = answer.value;
    const result = { query: words, places, total };
    found.current = result;
    const first = places.findIndex(({ line }) => line >= from);
    show(result, Math.max(0, first));
  };
  const step = (direction: 1 | -1): void => {
    const known = found.current;
    if (known === null || known.query !== query) {
      void search(query);
      return;
    }
    const count = known.places.length;
    if (count > 0) show(known, (index.current + direction + count) % count);
  };

  return (
    <form
      className="gh-viewer-search"
      onSubmit={(event) => {
        event.preventDefault();
        step(1);
      }}
    >
      <TextField
        type="search"
        label="Find"
        labelHidden
        placeholder="Find"
        value={query}
        onChange={({ target: { value } }) => {
          setQuery(value);
          clearTimeout(typing.current);
          typing.current = setTimeout(() => void search(value), TYPING_MS);
        }}
      />
      <IconButton label="Previous match" onClick={() => step(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Next match" onClick={() => step(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <output className="secondary">{said}</output>
    </form>
  );
}
