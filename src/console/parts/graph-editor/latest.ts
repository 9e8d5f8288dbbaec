/** Asking again and again as somebody types: a little after the last change, and only the newest answer counts. */

export interface Delays {
  /** Runs `task` after so long; gives what undoes that. */
  after(ms: number, task: () => void): () => void;
}

export interface Latest<Question> {
  ask(question: Question): void;
  /** Nothing is told any more. */
  close(): void;
}

export interface LatestOptions<Question, Answer> {
  readonly delays: Delays;
  readonly waitMs: number;
  readonly ask: (question: Question) => Promise<Answer>;
  readonly onAnswer: (answer: Answer) => void;
  readonly onFailure: (failure: unknown) => void;
}

export function latest<Question, Answer>(options: LatestOptions<Question, Answer>): Latest<Question> {
  const { delays, waitMs, ask, onAnswer, onFailure } = options;
  let newest = 0;
  let cancel = () => {};
  const run = async (question: Question, turn: number): Promise<void> => {
    try {
      const answer = await ask(question);
      if (turn === newest) onAnswer(answer);
    } catch (failure) {
      if (turn === newest) onFailure(failure);
    }
  };
  return {
    ask(question) {
      const turn = ++newest;
      cancel();
      cancel = delays.after(waitMs, () => void run(question, turn));
    },
    close() {
      newest++;
      cancel();
    },
  };
}
