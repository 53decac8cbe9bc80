import { Search, X } from 'lucide-react';
import { DECIDER_WORDS, DOOR_WORDS, STATE_WORDS } from '#contract/vocabulary/call-labels.js';
import { DECIDERS, type Decider, type Door } from '#contract/vocabulary/calls.js';
import { LIFECYCLE_STATES } from '#contract/vocabulary/lifecycle.js';
import { useRequest } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { Button, IconButton } from '../../ui/form/button.js';
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
  { value: '', label: 'All sources' },
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

const DECISIONS: readonly { value: Decider | ''; label: string }[] = [
  { value: '', label: 'Decided by anyone' },
  ...DECIDERS.map((decider) => ({ value: decider, label: `Decided by: ${DECIDER_WORDS[decider]}` })),
];

const CHANGES: readonly { value: Filters['changed']; label: string }[] = [
  { value: '', label: 'With or without changes' },
  { value: 'yes', label: 'Changed files' },
  { value: 'no', label: 'Changed nothing' },
];

const EXITS: readonly { value: Filters['exit']; label: string }[] = [
  { value: '', label: 'Any exit code' },
  { value: 'zero', label: 'Exit code 0' },
  { value: 'other', label: 'Another exit code' },
];

export function FilterBar({ filters, onChange }: FilterBarProps) {
  const { value: tools } = useRequest('tools.list', {});
  const toolNames = new Set([
    ...(tools ?? []).map((tool) => tool.name),
    ...(filters.tool === '' ? [] : [filters.tool]),
  ]);
  const toolOptions = [
    { value: '', label: 'Any tool' },
    ...[...toolNames].map((name) => ({ value: name, label: name })),
  ];
  const known = useApp(({ app }) => app.recentWorkspaces);
  const open = useApp(({ app }) => app.workspaces);
  const { value: seen } = useRequest('agents.seen', {});
  const paths = new Set([...open, ...known].map(({ path }) => path));
  for (const { folder } of seen ?? []) if (folder !== '') paths.add(folder);
  if (filters.workspace !== '') paths.add(filters.workspace);
  const folders = [{ value: '', label: 'Any folder' }, ...[...paths].map((path) => ({ value: path, label: path }))];
  const agentNames = new Set((seen ?? []).flatMap(({ agent }) => agent ?? []));
  if (filters.agent !== '') agentNames.add(filters.agent);
  const agentOptions = [
    { value: '', label: 'Any agent' },
    ...[...agentNames].map((name) => ({ value: name, label: name })),
  ];
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
      <Select label="Source" options={DOORS} value={filters.door} onChange={(door) => onChange({ ...filters, door })} />
      {filters.rule === '' ? null : (
        <Button size="small" icon={<X aria-hidden />} onClick={() => onChange({ ...filters, rule: '' })}>
          Allowed by one rule
          <span className="sr-only">: show all calls</span>
        </Button>
      )}
      <Select
        label="Folder"
        options={folders}
        value={filters.workspace}
        onChange={(workspace) => onChange({ ...filters, workspace })}
      />
      <Select
        label="Agent"
        options={agentOptions}
        value={filters.agent}
        onChange={(agent) => onChange({ ...filters, agent })}
      />
      <Select
        label="Decided by"
        options={DECISIONS}
        value={filters.decidedBy}
        onChange={(decidedBy) => onChange({ ...filters, decidedBy })}
      />
      <Select
        label="Changes"
        options={CHANGES}
        value={filters.changed}
        onChange={(changed) => onChange({ ...filters, changed })}
      />
      <Select
        label="Exit code"
        options={EXITS}
        value={filters.exit}
        onChange={(exit) => onChange({ ...filters, exit })}
      />
      <Select
        label="When"
        options={TIMES}
        value={filters.since}
        disabled={filters.day !== ''}
        onChange={(since) => onChange({ ...filters, since })}
      />
      <input
        type="date"
        className="gh-input gh-filter-day"
        aria-label="Day"
        title="Calls of one day"
        value={filters.day}
        onChange={(event) => onChange({ ...filters, day: event.target.value })}
      />
    </search>
  );
}
