import { runScenarios } from '../scenario-runner.test-support.js';
import { writeFileTool } from './handler.js';

runScenarios(import.meta.url, writeFileTool);
