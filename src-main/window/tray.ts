import { Menu, type MenuItemConstructorOptions, nativeImage, Tray } from 'electron';

export interface TrayActions {
  readonly open: () => void;
  readonly quit: () => void;
}

export interface TrayContent {
  readonly tip: string;
  readonly waiting: readonly string[];
  readonly running: readonly string[];
}

/** The icon in the desktop's tray, with what waits and what runs. */
export class AppTray {
  readonly #tray: Tray;
  readonly #actions: TrayActions;
  #shown = '';

  constructor(actions: TrayActions) {
    this.#actions = actions;
    this.#tray = new Tray(drawGateIcon());
    this.#tray.on('click', actions.open);
  }

  show(content: TrayContent): void {
    const next = JSON.stringify(content);
    if (next === this.#shown) return;
    this.#shown = next;
    this.#tray.setToolTip(content.tip);
    this.#tray.setContextMenu(Menu.buildFromTemplate(buildTrayMenu(content, this.#actions)));
  }

  destroy(): void {
    this.#tray.destroy();
  }
}

export function buildTrayMenu(
  { waiting, running }: TrayContent,
  { open, quit }: TrayActions,
): MenuItemConstructorOptions[] {
  const group = (title: string, lines: readonly string[]): MenuItemConstructorOptions[] =>
    lines.length === 0
      ? []
      : [
          { label: title, enabled: false },
          // A sign that menus take for a shortcut's is one of the text.
          ...lines.map((line) => ({ label: line.replaceAll('&', '&&'), click: open })),
          { type: 'separator' },
        ];
  return [
    ...group('Waiting for you', waiting),
    ...group('Running', running),
    ...(waiting.length + running.length === 0
      ? [{ label: 'Nothing runs or waits', enabled: false }, { type: 'separator' } as const]
      : []),
    { label: 'Open Gatehouse', click: open },
    { label: 'Quit Gatehouse', click: quit },
  ];
}

const SIZE = 22;

/** A gate with its two posts, in a blue that light and dark trays both show. */
function drawGateIcon(): Electron.NativeImage {
  const bitmap = Buffer.alloc(SIZE * SIZE * 4);
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) {
      const post = (x >= 3 && x <= 5) || (x >= 16 && x <= 18);
      const lintel = y >= 3 && y <= 6 && x >= 2 && x <= 19;
      const bar = y >= 12 && y <= 13 && x >= 3 && x <= 18;
      // Blue, green, red, how much of it.
      if (y >= 3 && y <= 19 && (post || lintel || bar)) bitmap.set([0xe8, 0x86, 0x5b, 0xff], (y * SIZE + x) * 4);
    }
  }
  return nativeImage.createFromBitmap(bitmap, { width: SIZE, height: SIZE });
}
