import type { ReadableByCommands } from '#contract/window/health.js';
import { useRequest } from '../../bridge/use-request.js';
import { Facts } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Mono } from '../../ui/text/code-block.js';
import { Visible } from '../../ui/text/visible.js';

/** The paths of this computer that a command reads which runs without asking, whatever else is confined. */
export function ReadablePaths() {
  const { value: seen, error, reload } = useRequest('health.seen', {});
  return (
    <section aria-labelledby="health-seen">
      <h2 id="health-seen">What commands see without asking</h2>
      {error === null ? null : <Problem title="What commands see can’t be looked up" error={error} onRetry={reload} />}
      {seen === null ? null : <Facts facts={listFacts(seen)} />}
    </section>
  );
}

function listFacts({ folder, repository, system, tools, readable }: ReadableByCommands) {
  const fact = (kind: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [[kind, <PathList key={kind} label={kind} paths={paths} />] as const];
  return [
    ...fact('This folder', folder === null ? [] : [folder]),
    ...fact('Its repository', repository === null ? [] : [repository]),
    ...fact('System', system),
    ...fact('Tools', tools),
    ...fact('By your settings', readable),
  ];
}

function PathList({ label, paths }: { readonly label: string; readonly paths: readonly string[] }) {
  return (
    <ul className="gh-seen-paths" aria-label={label}>
      {paths.map((path) => (
        <li key={path}>
          <Mono>
            <Visible text={path} />
          </Mono>
        </li>
      ))}
    </ul>
  );
}
