// What a page that broke out of its bridge could do: speak to main directly.
const { contextBridge, ipcRenderer } = require('electron');

contextBridge.exposeInMainWorld('raw', (...args) => ipcRenderer.invoke('gatehouse:request', ...args));
