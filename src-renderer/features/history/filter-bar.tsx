import { Search, X } from 'lucide-react';
import { DOOR_WORDS, STATE_WORDS } from '#contract/vocabulary/call-words.js';
import type { Door } from '#contract/vocabulary/calls.js';
import { LIFECYCLE_STATES } from '#contract/vocabulary/lifecycle.js';
import { useRequest } from '../../bridge/use-request.js';
import { IconButton } from '../../ui/form/button.js';
import { Select } from '../../ui/form/select.js';
import type { Filters, Since } from './filters.js';

interface FilterBarProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const STATES = [
  { value: '', label: 'Any state' },
  ...LIFECYCLE_STATES.map((state) => ({ value: state, label: STATE_WORDS[state].stands })),
];

const DOORS: readonly { value: Door | ''; label: string }[] = [
  { value: '', label: 'From anywhere' },
  ...(['conversation', 'compose', 'window', 'mcp', 'gateway'] as const).map((door) => ({
    value: door,
    label: DOOR_WORDS[door],
  })),
];

const TIMES: readonly { value: Since; label: string }[] = [
  { value: 'ever', label: 'Any time' },
  { value: 'hour', label: 'Past hour' },
  { value: 'day', label: 'Past day' },
  { value: 'week', label: 'Past week' },
  { value: 'month', label: 'Past month' },
];

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { value: tools } = useRequest('tools.list', {});
  const names = new Set([...(tools ?? []).map((tool) => tool.name), ...(filters.tool === '' ? [] : [filters.tool])]);
  const toolOptions = [{ value: '', label: 'Any tool' }, ...[...names].map((name) => ({ value: name, label: name }))];
  return (
    <search className="gh-filters">
      <span className="gh-search">
        <Search aria-hidden />
        <input
          type="search"
          className="gh-input"
          aria-label="Search calls"
          placeholder="Search calls"
          value={filters.query}
          maxLength={1000}
          spellCheck={false}
          onChange={(event) => onChange({ ...filters, query: event.target.value })}
        />
        {filters.query === '' ? null : (
          <IconButton label="Clear the search" size="small" onClick={() => onChange({ ...filters, query: '' })}>
            <X aria-hidden />
          </IconButton>
        )}
      </span>
      <Select
        label="State"
        options={STATES}
        value={filters.state}
        onChange={(state) => onChange({ ...filters, state })}
      />
      <Select
        label="Tool"
        options={toolOptions}
        value={filters.tool}
        onChange={(tool) => onChange({ ...filters, tool })}
      />
      <Select
        label="Asked from"
        options={DOORS}
        value={filters.door}
        onChange={(door) => onChange({ ...filters, door })}
      />
      <Select
        label="When"
        options={TIMES}
        value={filters.since}
        onChange={(since) => onChange({ ...filters, since })}
      />
    </search>
  );
}
