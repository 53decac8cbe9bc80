import { ClipboardPaste, History, LayoutList, Play, Wrench } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { useAct } from '../../bridge/use-act.js';
import { goTo, useApp, useWorkspace } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { counted, formatWhen } from '../../ui/text/format.js';
import { Menu, MenuItem } from '../../ui/overlay/menu.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { TextArea } from '../../ui/form/text-field.js';
import { Visible } from '../../ui/text/visible.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import {
  addCall,
  readCurrentBatch,
  type ComposeDraft,
  draftStore,
  readRecentBatches,
  rememberBatch,
  showAsText,
  takeBatch,
} from './draft.js';
import { DraftList } from './draft-list.js';
import { BatchResults } from './results.js';
import { ToolPicker } from './tool-picker.js';
import './compose.css';

/** A door of its own: build calls by hand, run them through the same gate as everything else. */
export function ComposePage() {
  const draft = useStore(draftStore);
  const tools = useCurrent('tools.list', {});
  const { run, running, problem } = useRun();
  useLinkedTool();
  const asText = draft.text !== null;
  const empty = draft.calls.length === 0 && !asText;

  return (
    <Page
      title="Compose"
      about="Build and run calls yourself; the same checks apply."
      actions={
        <>
          <RecentMenu />
          {asText ? <BackToForms draft={draft} /> : null}
          <Button icon={<ClipboardPaste aria-hidden />} onClick={showAsText}>
            Paste batch
          </Button>
          <Button tone="primary" icon={<Play aria-hidden />} disabled={running} onClick={() => void run()}>
            Run batch{draft.calls.length > 0 && !asText ? ` (${draft.calls.length})` : ''}
          </Button>
        </>
      }
    >
      <div className="gh-compose">
        {tools.value === null ? (
          tools.error === null ? (
            <Skeleton label="Loading the tools" />
          ) : (
            <Problem title="The tools can’t be loaded" error={tools.error} onRetry={tools.reload} />
          )
        ) : (
          <ToolPicker tools={tools.value} />
        )}
        <div className="gh-compose-main">
          {problem === null ? null : (
            <NoticeBox severity="error" title="The batch did not run">
              <Visible text={problem} />
            </NoticeBox>
          )}
          {draft.text === null ? null : <BatchText text={draft.text} draft={draft} />}
          {empty ? (
            <EmptyState icon={<Wrench />} title="No calls in this batch">
              Choose a tool to fill in its arguments, or paste a batch as JSON.
            </EmptyState>
          ) : null}
          {asText || tools.value === null ? null : <DraftList draft={draft} tools={tools.value} />}
          {draft.run === null ? null : <BatchResults run={draft.run} />}
        </div>
      </div>
    </Page>
  );
}

/** Begins a call of a tool, once, where another part of the window led here with it. */
function useLinkedTool(): void {
  const tool = useApp(({ anchor }) => anchor);
  useEffect(() => {
    if (tool === null) return;
    goTo('compose');
    addCall(tool);
  }, [tool]);
}

function useRun() {
  const workspace = useWorkspace();
  const { act, acting, problem, setProblem } = useAct();
  const run = async () => {
    const batch = readCurrentBatch(draftStore.getState());
    if (!batch.ok) {
      setProblem(batch.message);
      return;
    }
    // The results shown belong to the batch before.
    draftStore.setState({ run: null });
    const calls = batch.value.map((call) => ({ tool: call.tool, arguments: JSON.stringify(call.arguments) }));
    const answer = await act('compose.run', { workspace: workspace?.path ?? '', calls });
    if (!answer.ok) return;
    draftStore.setState({ run: answer.value });
    if (workspace !== null) rememberBatch(workspace.path, batch.value, Date.now());
  };
  return { run, running: acting, problem };
}

function BackToForms({ draft }: { readonly draft: ComposeDraft }) {
  const batch = readCurrentBatch(draft);
  const blank = draft.text?.trim() === '';
  return (
    <Button
      icon={<LayoutList aria-hidden />}
      disabled={!batch.ok && !blank}
      onClick={() => (blank ? draftStore.setState({ text: null }) : batch.ok ? takeBatch(batch.value) : undefined)}
    >
      Show as forms
    </Button>
  );
}

function BatchText({ text, draft }: { readonly text: string; readonly draft: ComposeDraft }) {
  const area = useRef<HTMLTextAreaElement>(null);
  // Asked for again, it is ready to be pasted over.
  const { asked } = draft;
  useEffect(() => {
    if (asked > 0) area.current?.select();
  }, [asked]);
  const batch = readCurrentBatch(draft);
  const touched = text.trim() !== '';
  return (
    <TextArea
      ref={area}
      label="Batch"
      mono
      rows={10}
      placeholder={'[\n  {"tool": "read_file", "arguments": {"path": "README.md"}}\n]'}
      value={text}
      onChange={(event) => draftStore.setState({ text: event.target.value })}
      error={touched && !batch.ok ? batch.message : null}
      hint={touched && batch.ok ? `${counted(batch.value.length, 'call')}, ready to run` : 'A list of calls, as JSON.'}
    />
  );
}

function RecentMenu() {
  const workspace = useWorkspace();
  const recent = workspace === null ? [] : readRecentBatches(workspace.path);
  if (recent.length === 0) return null;
  return (
    <Menu trigger={<Button icon={<History aria-hidden />}>Recent batches</Button>} align="end">
      {recent.map((batch) => (
        <MenuItem key={batch.at} onSelect={() => takeBatch(batch.calls)} hint={formatWhen(batch.at)}>
          {toVisibleLine(
            `${counted(batch.calls.length, 'call')}: ${batch.calls.map(({ tool }) => tool).join(', ')}`,
            60,
          )}
        </MenuItem>
      ))}
    </Menu>
  );
}
