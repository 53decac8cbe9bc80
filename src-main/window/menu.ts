import { Menu, type MenuItemConstructorOptions } from 'electron';
import { type WindowPage, WINDOW_PAGE_TITLES, WINDOW_PAGES } from '#contract/window/app-events.js';

export interface MenuActions {
  readonly openWorkspace: () => void;
  readonly showPlace: (place: WindowPage) => void;
  readonly showLogs: () => void;
  readonly reloadWindow: () => void;
}

export function installMenu(
  actions: MenuActions,
  options: { readonly mac: boolean; readonly development: boolean },
): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(buildMenuTemplate(actions, options)));
}

export function buildMenuTemplate(
  actions: MenuActions,
  { mac, development }: { readonly mac: boolean; readonly development: boolean },
): MenuItemConstructorOptions[] {
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => actions.showPlace('settings'),
  };
  const separator: MenuItemConstructorOptions = { type: 'separator' };
  const app: MenuItemConstructorOptions[] = mac
    ? [
        {
          label: 'Gatehouse',
          submenu: [{ role: 'about' }, separator, settings, separator, { role: 'hide' }, { role: 'quit' }],
        },
      ]
    : [];
  const file: MenuItemConstructorOptions = {
    label: '&File',
    submenu: [
      { label: 'Open workspace…', accelerator: 'CmdOrCtrl+O', click: actions.openWorkspace },
      separator,
      ...(mac ? [{ role: 'close' } as const] : [settings, separator, { role: 'quit' } as const]),
    ],
  };
  const go: MenuItemConstructorOptions = {
    label: '&Go',
    submenu: WINDOW_PAGES.map((place, at) => ({
      label: WINDOW_PAGE_TITLES[place],
      accelerator: `CmdOrCtrl+${at + 1}`,
      click: () => actions.showPlace(place),
    })),
  };
  const view: MenuItemConstructorOptions = {
    label: '&View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      separator,
      { role: 'togglefullscreen' },
      separator,
      { label: 'Reload window', accelerator: 'CmdOrCtrl+Shift+R', click: actions.reloadWindow },
      ...(development ? [{ role: 'toggleDevTools' } as const] : []),
    ],
  };
  const help: MenuItemConstructorOptions = {
    label: '&Help',
    role: 'help',
    submenu: [{ label: 'Show logs', click: actions.showLogs }],
  };
  return [...app, file, { label: '&Edit', role: 'editMenu' }, view, go, { role: 'windowMenu' }, help];
}
