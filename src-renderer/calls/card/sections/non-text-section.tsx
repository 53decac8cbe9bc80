import { Download } from 'lucide-react';
import { useState } from 'react';
import type { CallDetail, NonTextPart } from '#contract/vocabulary/calls.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { Button } from '../../../ui/form/button.js';
import { Problem } from '../../../ui/notice/problem.js';
import { counted, formatBytes } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { Refusal } from '../../../ui/notice/refusal.js';

/**
 * The parts besides text that a source gave: pictures as they are, the rest to be saved. Its words are in the result.
 */
export function NonTextSection({ detail: { callId, outcome } }: { readonly detail: CallDetail }) {
  const { value, error, reload } = useRequest('calls.keptParts', outcome === null ? null : { callId });
  if (error !== null) return <Problem title="Pictures of this call can’t be read" error={error} onRetry={reload} />;
  if (value === null || value.length === 0) return null;
  return (
    <section aria-label="Pictures and files it gave">
      <h3 className="gh-call-title">It gave {counted(value.length, 'file')}</h3>
      <ul className="gh-kept">
        {value.map((part) => (
          <li key={part.number}>
            <Part callId={callId} part={part} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Part({ callId, part }: { readonly callId: string; readonly part: NonTextPart }) {
  const { number, bytes, there } = part;
  const { act, acting, problem } = useAct();
  const [saved, setSaved] = useState<string | null>(null);
  const save = async () => {
    const answer = await act('calls.saveKept', { callId, number });
    if (answer.ok) setSaved(answer.value.file);
  };
  return (
    <>
      {part.kind === 'picture' && there ? <Picture callId={callId} part={part} /> : null}
      <p className="secondary">
        Stored output {number}: {describePart(part)}, {formatBytes(bytes)}
        {there ? '' : '. It isn’t kept any more.'}{' '}
        {there ? (
          <Button size="small" icon={<Download aria-hidden />} disabled={acting} onClick={() => void save()}>
            Save…<span className="sr-only"> stored output {number}</span>
          </Button>
        ) : null}
      </p>
      {saved === null ? null : (
        <output className="secondary">
          Saved as <Visible text={saved} />
        </output>
      )}
      <Refusal text={problem} />
    </>
  );
}

function Picture({
  callId,
  part: { number, width, height },
}: {
  readonly callId: string;
  readonly part: Extract<NonTextPart, { kind: 'picture' }>;
}) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="secondary">This picture is damaged: it can’t be drawn.</p>;
  return (
    <img
      className="gh-kept-picture"
      src={`gatehouse://app/kept/${encodeURIComponent(callId)}/${number}`}
      alt={`Stored output ${number}`}
      width={width}
      height={height}
      onError={() => setBroken(true)}
    />
  );
}

function describePart(part: NonTextPart): string {
  switch (part.kind) {
    case 'picture':
      return `picture, ${part.width} × ${part.height}`;
    case 'sound':
      return `sound (${part.mediaType})`;
    case 'other':
      return 'a file that isn’t shown here';
  }
}
