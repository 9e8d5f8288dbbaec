/** How to run each real CLI offline: local model, fake key, and settings in a temporary home. */

export const AGENTS = ['claude', 'codex', 'gemini', 'opencode'] as const;
export type AgentName = (typeof AGENTS)[number];

export interface Recipe {
  readonly model: string;
  readonly env: Readonly<Record<string, string>>;
  /** Contents by path in the home. */
  readonly files: Readonly<Record<string, string>>;
}

export const RECIPES: Readonly<Record<AgentName, (modelUrl: string) => Recipe>> = {
  claude: (modelUrl) => ({
    model: 'claude-sonnet-4-5',
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'test-key',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Disable the tool search, which the stub model does not support.
      ENABLE_TOOL_SEARCH: 'false',
    },
    files: {},
  }),
  codex: (modelUrl) => ({
    model: 'stub-model',
    env: { OPENAI_API_KEY: 'test-key' },
    files: { '.codex/config.toml': codexConfig(modelUrl) },
  }),
  gemini: (modelUrl) => ({
    model: 'gemini-2.5-flash',
    // gemini starts servers only in trusted folders.
    env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': GEMINI_SETTINGS },
  }),
  opencode: (modelUrl) => ({
    model: 'stub/stub-model',
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
    files: { '.config/opencode/opencode.jsonc': opencodeConfig(modelUrl) },
  }),
};

function codexConfig(modelUrl: string): string {
  return [
    '# before parley',
    'model = "stub-model"',
    'model_provider = "stub"',
    '',
    '[model_providers.stub]',
    'name = "Stub"',
    `base_url = "${modelUrl}/v1"`,
    'env_key = "OPENAI_API_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 2',
    'stream_max_retries = 2',
    '',
  ].join('\n');
}

/** A custom address requires an explicit authentication type. */
const GEMINI_SETTINGS = `{
  // before parley
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false }
}
`;

function opencodeConfig(modelUrl: string): string {
  return `{
  "$schema": "https://opencode.ai/config.json",
  // before parley
  "autoupdate": false,
  "share": "disabled",
  "model": "stub/stub-model",
  "small_model": "stub/stub-model",
  "provider": {
    "stub": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${modelUrl}/v1", "apiKey": "test-key" },
      "models": {
        "stub-model": {
          "cost": { "input": 3, "output": 15, "cache_read": 0.3 },
          "limit": { "context": 200000, "output": 8000 },
        },
      },
    },
  },
}
`;
}
