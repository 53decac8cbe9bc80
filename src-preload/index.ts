import { contextBridge } from 'electron';
import { api } from './bridge.js';

contextBridge.exposeInMainWorld('gatehouse', api);
