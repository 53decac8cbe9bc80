import { runScenarios } from '../scenario-runner.test-support.js';
import { listDirectoryTool } from './handler.js';

runScenarios(import.meta.url, listDirectoryTool);
