# As pace.h, for programs in Ruby.
$begin = Time.now.to_f + ENV['PACE_HEALTHY_S'].to_f
$calls = 0
$answers = []

def answer_requests
  20.times { |number| $answers << 'a' * (500 + number * 200) }
  $answers.shift($answers.size - 2000) if $answers.size > 2000
end

def served
  while (now = Time.now.to_f) < $begin + ENV['PACE_LEAKING_S'].to_f
    if now > $begin && $calls < (now - $begin) * ENV['PACE_RATE'].to_f
      File.write('onset', "#{now}\n") if $calls.zero?
      return $calls += 1
    end
    answer_requests
    sleep 0.01
  end
end
