/** Examples by command; shown in the help below the options. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "": ["factotum setup", "factotum gateway start", 'factotum agent -m "What can you do?"', "factotum doctor"],
  agent: ['factotum agent -m "Summarise notes.md"', 'factotum agent --session main -m "And in French?"'],
  "auth set": ["factotum auth set anthropic", "factotum auth set openai < key.txt"],
  "models set": ["factotum models set anthropic/claude-sonnet-5-5"],
  "models list": ["factotum models list", "factotum models list openrouter"],
  "access allow": ["factotum access allow feishu:default ou_7d8a6e6df7621556ce0d21922b676706 --owner"],
  "sessions show": ["factotum sessions show main"],
  "sessions export": ["factotum sessions export main --output main.jsonl"],
  "backup create": ["factotum backup create", "factotum backup create --secrets --output /mnt/disk/"],
  "backup restore": ["FACTOTUM_HOME=~/factotum-test factotum backup restore factotum-backup-2026-01-30T12-00-00Z.tar.gz"],
  "deadletters purge": ["factotum deadletters purge --older-than 7d"],
  "config set": ["factotum config set gateway.port 18800", "factotum config set tools.profile '[\"coding\"]'"],
  "config get": ["factotum config get agents.defaults.model"],
  logs: ["factotum logs --follow --level warn"],
  completion: ["source <(factotum completion bash)", "factotum completion fish > ~/.config/fish/completions/factotum.fish"],
};
