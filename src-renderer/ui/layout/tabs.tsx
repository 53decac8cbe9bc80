import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import './tabs.css';

interface TabItem<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly TabItem<Id>[];
  readonly selected: Id;
  readonly onSelect: (id: Id) => void;
}

export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  return (
    <Base.Root
      className="gh-tabs"
      value={selected}
      onValueChange={(value: unknown) => {
        const tab = tabs.find((each) => each.id === value);
        if (tab !== undefined) onSelect(tab.id);
      }}
    >
      <Base.List className="gh-tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.id} value={tab.id} className="gh-tab">
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="gh-tab-panel">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
