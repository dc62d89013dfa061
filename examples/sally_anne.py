"""One story, every question about it, and a model that always answers from the world."""

import otherminds as om

story = om.load_story("sally-anne")
print(story.text, "\n")

suite = om.quiz(story, order=2)
for model in (om.oracle(suite), om.realist(suite)):
    run = om.run(suite, model)
    print(f"{model.name}: {run.mean():.2f} right of {len(run)}")
    for record in run.records:
        if record.score.verdict == "incorrect":
            print(f"  {record.item.question} {record.score.answer} (right: {record.item.answer})")
