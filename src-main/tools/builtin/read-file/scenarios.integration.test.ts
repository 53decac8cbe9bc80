import { runScenarios } from '../scenario-runner.test-support.js';
import { readFileTool } from './handler.js';

runScenarios(import.meta.url, readFileTool);
