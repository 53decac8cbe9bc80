import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import type { ServerAsks } from '#contract/window/tools/sources.js';
import { CodeBlock } from '../../ui/text/code-block.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';

/** A server's words and its request, whole and as they are. */
export function ServerRequest({ source, asks }: { readonly source: string; readonly asks: ServerAsks }) {
  switch (asks.kind) {
    case 'form':
      return <CodeBlock label="What it says" text={toVisibleText(asks.message)} copy={false} maxHeight={160} />;
    case 'page':
      return (
        <>
          <CodeBlock label="What it says" text={toVisibleText(asks.message)} copy={false} maxHeight={160} />
          <p>
            The page is on <Visible text={asks.host} />. {source} chose it, and is told that you opened it. What you do
            there does not come through Gatehouse.
          </p>
          <CodeBlock label="Address" text={toVisibleText(asks.url)} maxHeight={120} />
        </>
      );
    case 'model':
      return (
        <>
          <p>
            All of this would go to <Visible text={asks.model} /> ({asks.provider}), on your account, for an answer of
            at most {counted(asks.maxTokens, 'token')}. You see the answer before {source} does.
          </p>
          {asks.system === null ? null : <Part label="What the model is told to be" text={asks.system} />}
          {asks.messages.map(({ role, text }, at) => (
            <Part
              // oxlint-disable-next-line react/no-array-index-key -- they never change, and two may be equal
              key={at}
              label={role === 'user' ? `Message ${at + 1}` : `Message ${at + 1}, as if the model had said it`}
              text={text}
            />
          ))}
        </>
      );
    case 'model-writes':
      return <output>Waiting for its answer. Nothing of it is given back before you say so.</output>;
    case 'model-answer':
      return (
        <>
          <CodeBlock label={`What ${asks.model} wrote`} text={toVisibleText(asks.text)} maxHeight={320} />
          {asks.wasCut ? <p className="secondary">It was cut at the length that was asked for.</p> : null}
        </>
      );
  }
}

const Part = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div>
    <p className="secondary">{label}</p>
    <CodeBlock label={label} text={toVisibleText(text)} copy={false} maxHeight={240} />
  </div>
);
