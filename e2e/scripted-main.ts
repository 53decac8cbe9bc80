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
  /** Lets what is asked there wait, until it is answered by the function given back. */
  readonly hold: <Name extends ChannelName>(name: Name) => Promise<(value: ResponseOf<Name>) => Promise<void>>;
  readonly asked: (name: ChannelName) => Promise<readonly AskedFor[]>;
}

interface ScriptState {
  snapshot: AppSnapshot;
  readonly answers: Record<string, unknown>;
  readonly asked: AskedFor[];
  /** What waits for its answer, by channel. */
  readonly held: Record<string, (() => void)[]>;
}

/** The window's own way to be told, kept while the real main is not heard. */
interface Overheard {
  readonly send: (channel: string, events: unknown) => void;
  /** Whether the real main said something since this was last looked at. */
  spoke: boolean;
}

/** Waits for a moment in which the real main says nothing, and gives what it holds then. */
async function holdStill({ electron, page }: Gatehouse): Promise<AppSnapshot> {
  await electron.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) throw new Error('There is no window.');
    const contents = window.webContents;
    const overheard: Overheard = { send: contents.send.bind(contents), spoke: false };
    (globalThis as unknown as { overheard: Overheard }).overheard = overheard;
    contents.send = (channel: string, events: unknown) => {
      overheard.spoke = true;
      overheard.send(channel, events);
    };
  });
  for (;;) {
    const held = await page.evaluate(() =>
      (globalThis as unknown as { gatehouse: GatehouseApi }).gatehouse.client['app.snapshot']({}),
    );
    if (!held.ok) throw new Error(held.error.message);
    const spoke = await electron.evaluate(({ BrowserWindow }) => {
      const { overheard } = globalThis as unknown as { overheard: Overheard };
      const before = overheard.spoke;
      overheard.spoke = false;
      if (!before) for (const { webContents } of BrowserWindow.getAllWindows()) webContents.send = () => undefined;
      return before;
    });
    if (!spoke) return held.value;
  }
}

/**
 * The real window with another main behind the border: it can be shown what a sane main never sends, and moments that
 * last too short to be caught. What the real main does is proved by the other specs. The real one is not heard any
 * more: what it says would take the numbers of what the other one says.
 */
export async function scriptMain(app: Gatehouse): Promise<ScriptedMain> {
  const { electron, page } = app;
  await page.locator('.gh-frame').waitFor();
  const first = await holdStill(app);
  await electron.evaluate(({ ipcMain }, text) => {
    const state: ScriptState = { snapshot: JSON.parse(text) as AppSnapshot, answers: {}, asked: [], held: {} };
    (globalThis as unknown as { script: ScriptState }).script = state;
    ipcMain.removeHandler('gatehouse:request');
    ipcMain.handle('gatehouse:request', (_event, name: string, request: string) => {
      state.asked.push({ name: name as ChannelName, request: JSON.parse(request) as unknown });
      if (name === 'app.snapshot') return { ok: true, value: state.snapshot };
      const answer = () => state.answers[name] ?? { ok: true, value: null };
      const held = state.held[name];
      return held === undefined ? answer() : new Promise((resolve) => held.push(() => resolve(answer())));
    });
  }, JSON.stringify(first));

  const setAnswer = (name: string, answer: unknown) =>
    electron.evaluate(
      (_electron, [channel, given]) => {
        (globalThis as unknown as { script: ScriptState }).script.answers[channel] = given;
      },
      [name, answer] as const,
    );
  const emit = (...events: readonly AppEventBody[]) =>
    electron.evaluate((_electron, text) => {
      const { script, overheard } = globalThis as unknown as { script: ScriptState; overheard: Overheard };
      for (const event of JSON.parse(text) as AppEventBody[]) {
        const seq = script.snapshot.seq + 1;
        script.snapshot = { ...script.snapshot, seq };
        overheard.send('gatehouse:event', [{ ...event, seq }]);
      }
    }, JSON.stringify(events));

  return {
    emit,
    answer: (name, value) => setAnswer(name, { ok: true, value }),
    refuse: (name, code, message) => setAnswer(name, { ok: false, error: { code, message } }),
    hold: async (name) => {
      await electron.evaluate((_electron, channel) => {
        (globalThis as unknown as { script: ScriptState }).script.held[channel] = [];
      }, name);
      return async (value) => {
        await setAnswer(name, { ok: true, value });
        await electron.evaluate((_electron, channel) => {
          const { held } = (globalThis as unknown as { script: ScriptState }).script;
          const waiting = held[channel] ?? [];
          delete held[channel];
          for (const answer of waiting) answer();
        }, name);
      };
    },
    show: (change) =>
      electron.evaluate((_electron, text) => {
        const { script, overheard } = globalThis as unknown as { script: ScriptState; overheard: Overheard };
        const seq = script.snapshot.seq + 10;
        script.snapshot = { ...script.snapshot, ...(JSON.parse(text) as Partial<AppSnapshot>), seq };
        // A number that is missing makes the window ask for everything again.
        overheard.send('gatehouse:event', [{ type: 'settings-changed', seq }]);
      }, JSON.stringify(change)),
    asked: (name) =>
      electron.evaluate(
        (_electron, channel) =>
          (globalThis as unknown as { script: ScriptState }).script.asked.filter((each) => each.name === channel),
        name,
      ),
  };
}
