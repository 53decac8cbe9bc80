import type { AppEventBody, AppSnapshot } from '#contract/window/app-events.js';
import type { ChannelName, GatehouseApi, ResponseOf } from '#contract/window/channels.js';
import type { Gatehouse } from './app.js';

/** What the window asked for, in order. */
interface AskedFor {
  readonly name: ChannelName;
  readonly request: unknown;
}

export interface ScriptedMain {
  /** Makes the window take this as what main holds. */
  readonly show: (change: Partial<AppSnapshot>) => Promise<void>;
  readonly emit: (...events: readonly AppEventBody[]) => Promise<void>;
  readonly answer: <Name extends ChannelName>(name: Name, value: ResponseOf<Name>) => Promise<void>;
  readonly refuse: (name: ChannelName, code: string, message: string) => Promise<void>;
  readonly asked: (name: ChannelName) => Promise<readonly AskedFor[]>;
}

interface ScriptState {
  snapshot: AppSnapshot;
  readonly answers: Record<string, unknown>;
  readonly asked: AskedFor[];
}

/**
 * The real window with another main behind the border: it can be shown what a sane main never sends, and moments that
 * last too short to be caught. What the real main does is proved by the other specs.
 */
export async function scriptMain({ electron, page }: Gatehouse): Promise<ScriptedMain> {
  const first = await page.evaluate(() =>
    (globalThis as unknown as { gatehouse: GatehouseApi }).gatehouse.client['app.snapshot']({}),
  );
  if (!first.ok) throw new Error(first.error.message);
  const settled = page.locator('.gh-frame');
  await settled.waitFor();
  await electron.evaluate(({ ipcMain }, text) => {
    const state: ScriptState = { snapshot: JSON.parse(text) as AppSnapshot, answers: {}, asked: [] };
    (globalThis as unknown as { script: ScriptState }).script = state;
    ipcMain.removeHandler('gatehouse:request');
    ipcMain.handle('gatehouse:request', (_event, name: string, request: string) => {
      state.asked.push({ name: name as ChannelName, request: JSON.parse(request) as unknown });
      if (name === 'app.snapshot') return { ok: true, value: state.snapshot };
      return state.answers[name] ?? { ok: true, value: null };
    });
  }, JSON.stringify(first.value));

  const setAnswer = (name: string, answer: unknown) =>
    electron.evaluate(
      (_electron, [channel, given]) => {
        (globalThis as unknown as { script: ScriptState }).script.answers[channel] = given;
      },
      [name, answer] as const,
    );
  const emit = (...events: readonly AppEventBody[]) =>
    electron.evaluate(({ BrowserWindow }, text) => {
      const { script } = globalThis as unknown as { script: ScriptState };
      for (const event of JSON.parse(text) as AppEventBody[]) {
        const seq = script.snapshot.seq + 1;
        script.snapshot = { ...script.snapshot, seq };
        BrowserWindow.getAllWindows()[0]?.webContents.send('gatehouse:event', { ...event, seq });
      }
    }, JSON.stringify(events));

  return {
    emit,
    answer: (name, value) => setAnswer(name, { ok: true, value }),
    refuse: (name, code, message) => setAnswer(name, { ok: false, error: { code, message } }),
    show: (change) =>
      electron.evaluate(({ BrowserWindow }, text) => {
        const { script } = globalThis as unknown as { script: ScriptState };
        const seq = script.snapshot.seq + 10;
        script.snapshot = { ...script.snapshot, ...(JSON.parse(text) as Partial<AppSnapshot>), seq };
        // A number that is missing makes the window ask for everything again.
        BrowserWindow.getAllWindows()[0]?.webContents.send('gatehouse:event', { type: 'settings-changed', seq });
      }, JSON.stringify(change)),
    asked: (name) =>
      electron.evaluate(
        (_electron, channel) =>
          (globalThis as unknown as { script: ScriptState }).script.asked.filter((each) => each.name === channel),
        name,
      ),
  };
}
