import type { Tool } from '../../../domain/tool/tool.js';
import { readFileTool } from '../read-file/handler.js';
import { runScenarios } from '../scenario-runner.test-support.js';
import { applyPatchTool } from './handler.js';

runScenarios(import.meta.url, applyPatchTool, [readFileTool as unknown as Tool<unknown>]);
