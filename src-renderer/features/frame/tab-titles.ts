import type { WorkspaceInfo } from '#contract/window/app-events.js';

/** Titles the tabs: the folder's name, and where several have the same, the folder that it lies in. */
export const buildTabTitles = (open: readonly WorkspaceInfo[]): readonly string[] =>
  open.map(({ name, path }) => {
    if (open.filter((other) => other.name === name).length === 1) return name;
    return `${name} (${path.slice(0, -name.length - 1) || '/'})`;
  });
