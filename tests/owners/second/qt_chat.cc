// A window of Qt, whose list of messages is never cleared.
#include <QApplication>
#include <QListWidget>
#include <QMainWindow>
#include <QTimer>
#include <cstdlib>

class ChatWindow : public QMainWindow {
  public:
    ChatWindow() : list(new QListWidget(this))
    {
        setCentralWidget(list);
    }
    __attribute__((noinline)) void append_message(int number)
    {
        QString text = QString("message %1: ").arg(number) + QString(200, 'x');
        list->addItem(new QListWidgetItem(text)); // guilty
    }

  private:
    QListWidget *list;
};

__attribute__((noinline)) static void receive(ChatWindow &window)
{
    for (int number = 0; number < 60000; number++)
        window.append_message(number);
}

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    ChatWindow window;
    window.show();
    QTimer::singleShot(0, [&] {
        receive(window);
        std::_Exit(0);
    });
    return app.exec();
}
