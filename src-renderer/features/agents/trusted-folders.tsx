import { useAct } from '../../bridge/use-act.js';
import { useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { Refusal } from '../../ui/notice/refusal.js';

/** Where the person said that they trust what is written; nothing where that is nowhere. */
export function TrustedFolders() {
  const { trustedFolders } = useStatus();
  const { act, acting, problem } = useAct();
  if (trustedFolders.length === 0) return null;
  return (
    <section aria-label="Folders whose text you trust">
      <h2>Folders whose text you trust</h2>
      <p className="secondary">
        Reading files here makes nothing ask. Files that Git ignores, and what commands print, still do.
      </p>
      <ul className="gh-agent-sessions">
        {trustedFolders.map((workspace) => (
          <li key={workspace}>
            <Mono>{workspace}</Mono>
            <Button
              size="small"
              disabled={acting}
              onClick={() => void act('given.trustFolder', { workspace, trusted: false })}
            >
              Stop trusting
            </Button>
          </li>
        ))}
      </ul>
      <Refusal inline text={problem} />
    </section>
  );
}
