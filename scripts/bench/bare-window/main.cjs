// The floor: an Electron window doing nothing. Writes when it could be used, as the app's log does.
const { appendFileSync } = require('node:fs');
const path = require('node:path');
const { app, BrowserWindow } = require('electron');

const dataDir = process.env.BARE_DATA_DIR;
app.setPath('userData', dataDir);
const ready = () => appendFileSync(path.join(dataDir, 'ready'), String(Date.now()));
void app.whenReady().then(() => {
  if (process.env.BARE_WITHOUT_WINDOW) return ready();
  const window = new BrowserWindow({ width: 1280, height: 820, show: false, webPreferences: { sandbox: true } });
  window.once('ready-to-show', () => {
    window.show();
    ready();
  });
  return window.loadFile(path.join(__dirname, 'index.html'));
});
